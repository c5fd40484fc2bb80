# Sourced by ./run, ./test and ./bench: installs missing Debian packages without asking, and prints nothing if none are
# missing.

# install_missing PACKAGE…
install_missing() {
  local package missing=()
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local become=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "whisker needs these packages; install them as root and start again: ${missing[*]}" >&2
      return 1
    }
    become=(sudo)
  fi
  echo "installing: ${missing[*]}"
  local log begin=$SECONDS
  log=$(mktemp)
  if ! { "${become[@]}" apt-get update &&
    "${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    echo "apt-get could not install: ${missing[*]}" >&2
    return 1
  fi
  rm -f "$log"
  echo "installed in $(since $begin)"
}

build_packages=(g++ cmake ninja-build ccache libeigen3-dev libtbb-dev libhwy-dev libtinyxml2-dev)
app_packages=(libcli11-dev libfmt-dev nlohmann-json3-dev libassimp-dev zlib1g-dev libjs-three)
test_packages=(libgtest-dev libboost-dev libcgal-dev libgmp-dev libmpfr-dev pkg-config chromium python3)
long_packages=(clang libclang-rt-dev)
bench_packages=(libfcl-dev libbullet-dev libode-dev libccd-dev liboctomap-dev libboost-dev libembree-dev libqhull-dev libcgal-dev libgmp-dev libmpfr-dev)

# since BEGIN: prints the elapsed time in a readable form.
since() {
  local seconds=$((SECONDS - $1))
  if [ $seconds -ge 60 ]; then echo "$((seconds / 60)) min $((seconds % 60)) s"; else echo "$seconds s"; fi
}

# show_steps WHAT: shows the progress of a build from ninja's output: on one line of a terminal, otherwise every ten
# seconds.
show_steps() {
  local what=$1 line last=$SECONDS done all step
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]] || continue
    done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]} step=${BASH_REMATCH[3]}
    step=${step##* } step=${step##*/} step=${step%.o} step=${step#unity_} step=${step%_cxx.cxx} step=${step%.cpp}
    if [ -t 1 ]; then
      printf '\r\033[K%s: %d of %d, %s' "$what" "$done" "$all" "$step"
    elif [ $((SECONDS - last)) -ge 10 ]; then
      last=$SECONDS
      echo "$what: $done of $all, $step"
    fi
  done
  if [ -t 1 ]; then printf '\r\033[K'; fi
}

# build PRESET [TARGET…]: configures if necessary and builds, and shows progress and errors.
build() {
  local preset=$1 begin=$SECONDS
  shift
  local log="build/$preset.log"
  mkdir -p build
  if [ ! -f "build/$preset/build.ninja" ]; then
    echo "configuring $preset"
    cmake --preset "$preset" >"$log" 2>&1 || {
      cat "$log" >&2
      return 1
    }
  fi
  local targets=()
  [ $# -gt 0 ] && targets=(--target "$@")
  cmake --build --preset "$preset" "${targets[@]}" 2>&1 | tee "$log" | show_steps "building $preset"
  if [ "${PIPESTATUS[0]}" -ne 0 ]; then
    grep -v '^\[' "$log" >&2
    return 1
  fi
  echo "built $preset in $(since $begin)"
}
