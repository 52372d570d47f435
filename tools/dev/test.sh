# The checks, cheapest first. The first stage that fails ends the run with its own last lines and
# its exit code; the last lines of a whole run are ctest's.

# Tests that read the repository and run no engine, and tests that compute for minutes.
of_text='tidy|tidy_rules|model_fetch|format|docs'
slow='golden|one_answer|kernels_emulated_avx512'
# The program with the default model: minutes under a sanitizer, and nothing that engine has not.
whole='cli'
# Where threads meet.
with_threads='base|engine'

test_everything() {
  want_packages "${build_packages[@]}" "${python_packages[@]}" "${test_packages[@]}"
  want_tools
  want_model
  format --check
  tidy
  build_everything release
  run_tests release
  build_everything asan
  run_tests asan -E "^($of_text|$slow|$whole)\$"
  configure tsan ON
  compile tsan base_tests engine_tests
  run_tests tsan -R "^($with_threads)\$"
}

test_quickly() {
  want_packages "${build_packages[@]}" "${python_packages[@]}" "${test_packages[@]}"
  format --check
  tidy
  build_everything release
  run_tests release -E "^(tidy|format|$slow)\$"  # the first two have just been done
}

# run_tests PRESET CTEST_ARGUMENTS...
run_tests() {
  local folder=$root/build/$1
  shift
  ctest --test-dir "$folder" --output-on-failure --no-tests=error --parallel "$(job_count)" "$@"
}
