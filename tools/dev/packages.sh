# Packages of the system: what is missing is installed with apt-get, as root or through sudo.
# Debian 12 and 13 are tested; Ubuntu and other relatives are tried; others are told the list.

build_packages=(g++ cmake ninja-build ccache mold libfmt-dev libsimdjson-dev libcli11-dev
  libxxhash-dev)
test_packages=(libgtest-dev libsimde-dev)
python_packages=(python3 python3-venv)

# want_packages NAME...: returns when all of them are installed.
want_packages() {
  [[ ${ZHUZI_PACKAGES:-} == skip ]] && return
  if ! { command -v dpkg-query && command -v apt-get; } >/dev/null; then
    fail 1 "This system has no apt-get. Install what these Debian packages hold with its own" \
      "tools, then run ZHUZI_PACKAGES=skip ./dev again: $*"
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -eq 0 ]] && return
  warn_about_other_systems
  local administrator=()
  if [[ $(id -u) -ne 0 ]]; then
    administrator=(sudo)
    if ! command -v sudo >/dev/null; then
      fail 1 "These packages are missing, and there is no sudo to install them." \
        "As root, run: apt-get install ${missing[*]}"
    fi
  fi
  logged packages "Installing packages: ${missing[*]}" install_packages "${missing[@]}" ||
    fail 1 "Debian's packages could not be installed; the reason stands above and in" \
      "build/log/packages.log. Check the network and the disk (df -h /), then run ./dev again."
}

missing_packages() {
  comm -23 <(printf '%s\n' "$@" | sort) \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
      sed -n 's/^installed //p' | sort -u)
}

# Takes `administrator` from want_packages. The lists may be missing or old, and an earlier run may
# have been cut off; both are mended only when the plain way fails.
install_packages() {
  local apt=("${administrator[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get -q -y -o DPkg::Lock::Timeout=300)
  "${apt[@]}" install --no-install-recommends "$@" && return
  "${administrator[@]}" dpkg --configure -a || true
  "${apt[@]}" update || true
  "${apt[@]}" install --no-install-recommends "$@"
}

warn_about_other_systems() {
  local name
  name=$(. /etc/os-release && echo "$ID ${VERSION_ID:-}")
  case $name in
    "debian 12" | "debian 13") ;;
    *) say "Debian 12 and 13 are tested; $name is only tried. It needs GCC 12 or newer." ;;
  esac
}
