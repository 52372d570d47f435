# Configuring and building a preset, and calling the program that comes out.

# ccache finds the same file again when another clone lies in another folder.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# configure PRESET TESTS: TESTS is ON or OFF. Once ON, a folder keeps its tests.
configure() {
  local folder=$root/build/$1 cache=$root/build/$1/CMakeCache.txt tests=$2
  if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    say "build/$1 was made for another folder; it is made anew."
    rm -rf "$folder"
  fi
  local had_tests=OFF
  [[ -f $cache ]] && grep -qx 'ZHUZI_TESTS:BOOL=ON' "$cache" && had_tests=ON tests=ON
  if [[ -f $folder/build.ninja && ! $root/CMakePresets.json -nt $folder/build.ninja &&
    $tests == "$had_tests" ]]; then
    return
  fi
  local preset=(cmake -S "$root" --preset "$1" "-DZHUZI_TESTS=$tests")
  logged "configure-$1" "Configuring build/$1" "${preset[@]}" ||
    logged "configure-$1" "Configuring build/$1 from nothing" "${preset[@]}" --fresh ||
    fail 1 "CMake could not configure; the reason stands above and in" \
      "build/log/configure-$1.log. If it names a package, that package is broken or too old."
}

# compile PRESET TARGET...: one at a time in a folder, since ninja itself has no lock.
compile() {
  local folder=$root/build/$1
  shift
  flock "$folder.lock" cmake --build "$folder" --parallel "$(job_count)" --target "$@" >&2 ||
    fail 1 "The build failed; the first error stands above. If you changed nothing, check the" \
      "disk (df -h) and the memory, remove the folder build and try again."
}

build_program() {
  want_packages "${build_packages[@]}" "${python_packages[@]}"
  configure release OFF
  if [[ -x $root/build/release/zhuzi && -z $(newer_source) ]]; then
    compile release zhuzi -- --quiet 2> >(sed '/no work to do/d' >&2)
  else
    say "Building build/release/zhuzi"
    compile release zhuzi
  fi
}

newer_source() {
  find "$root/src" "$root/cmake" "$root/CMakeLists.txt" \
    -newer "$root/build/release/zhuzi" -print -quit
}

build_everything() {
  [[ $1 =~ ^(release|debug|asan|tsan)$ ]] ||
    fail 2 "There is no preset '$1'. The presets are release, debug, asan and tsan."
  want_packages "${build_packages[@]}" "${test_packages[@]}"
  configure "$1" ON
  compile "$1" all
}

# zhuzi WORD ARGUMENTS...: becomes the program.
zhuzi() {
  build_program
  wants_default_model "$@" && want_model
  exec "$root/build/release/zhuzi" "$@"
}

wants_default_model() {
  local argument
  for argument in "$@"; do
    case $argument in
      --model | --model=* | -m | --help | -h | inspect) return 1 ;;
    esac
  done
}
