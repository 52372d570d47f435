# Python tools in an environment of their own, the default model, and the checks that use tools.
# The environment is named by what it holds: another tools/requirements.txt is another folder.

python=/usr/bin/python3

tools_folder() {
  local key
  key=$({ cat "$root/tools/requirements.txt"; "$python" -V; } | sha256sum | cut -c 1-12)
  echo "$cache_folder/tools/$key"
}

# Makes the environment if it is not whole. It is built aside and moved into place at the end.
want_tools() {
  want_packages "${python_packages[@]}"
  tools=$(tools_folder)
  "$tools/bin/python" -m pip --version >/dev/null 2>&1 && [[ -x $tools/bin/clang-format ]] && return
  logged tools "Installing the Python tools of tools/requirements.txt" make_tools ||
    fail 1 "The Python tools could not be installed; the reason stands above and in" \
      "build/log/tools.log. Check the network and the disk (df -h), then run ./dev again."
}

make_tools() {
  rm -rf "$tools"
  "$python" -m venv "$tools" &&
    "$tools/bin/python" -m pip install --disable-pip-version-check --no-cache-dir \
      -r "$root/tools/requirements.txt"
}

# The default model; fetches it unless the file is there and whole.
want_model() {
  "$python" "$root/tools/dev/model.py" --check "$cache_folder/models" 2>/dev/null && return
  want_tools
  "$tools/bin/python" "$root/tools/dev/model.py" "$cache_folder/models" ||
    fail 1 "Without the default model: ./dev run --model FILE works with any GGUF file you have."
}

cpp_files() {
  find "$root" \( -path "$root/.*" -o -path "$root/build" -o -path "$root/tests/data" \) -prune -o \
    \( -name '*.h' -o -name '*.cpp' \) -print0
}

format() {
  want_tools
  case ${1:-} in
    "") cpp_files | xargs -0 "$tools/bin/clang-format" -i ;;
    --check) cpp_files | xargs -0 "$tools/bin/clang-format" --dry-run -Werror ||
      fail 1 "The files above are not formatted. './dev format' does it." ;;
    *) fail 2 "./dev format takes nothing or --check." ;;
  esac
}

tidy() { "$python" "$root/tools/tidy" "$@"; }
