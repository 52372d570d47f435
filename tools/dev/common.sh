# How ./dev speaks, and what every part of it needs. Sourced by ./dev, which has set `root`.

# A bare environment may lack the folders where apt and dpkg look for their helpers, and a home.
export PATH=${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}

# Where models and tools are kept between clones. A relative XDG_CACHE_HOME counts as unset.
cache_folder=$HOME/.cache/zhuzi
[[ ${XDG_CACHE_HOME:-} == /* ]] && cache_folder=$XDG_CACHE_HOME/zhuzi

say() { printf '%s\n' "$*" >&2; }

# fail EXIT_CODE SENTENCES: the way out of every step that cannot go on.
fail() {
  local code=$1
  shift
  say "./dev: $*"
  exit "$code"
}

# logged NAME TEXT COMMAND...: runs the command with its output in build/log/NAME.log and says how
# long it took. When it fails, the end of the log is shown, and the caller says what to do.
logged() {
  local log=$root/build/log/$1.log text=$2 start=$SECONDS
  shift 2
  mkdir -p "$root/build/log"
  say "$text ..."
  if "$@" >"$log" 2>&1 </dev/null; then
    say "    done in $((SECONDS - start)) s"
    return 0
  fi
  tail -n 15 "$log" | sed 's/^/    /' >&2
  return 1
}

# How many compilers may run: one for each core, while each can have 1.5 GiB of memory.
job_count() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / (1536 * 1024)) }' /proc/meminfo)
  [[ $memory -lt 1 ]] && memory=1
  echo $((cores < memory ? cores : memory))
}
