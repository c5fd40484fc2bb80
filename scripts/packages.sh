# Sourced by ./run, ./test and ./bench: installs the Debian packages that are missing, without a question, and is silent
# when there are none.

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
  local log
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
}

build_packages=(g++ cmake ninja-build ccache libeigen3-dev libtbb-dev libhwy-dev libtinyxml2-dev)
app_packages=(libcli11-dev libfmt-dev nlohmann-json3-dev libassimp-dev zlib1g-dev libjs-three)
test_packages=(libgtest-dev libboost-dev libcgal-dev libgmp-dev libmpfr-dev pkg-config chromium)
long_packages=(clang libclang-rt-dev)
bench_packages=(libfcl-dev libbullet-dev libode-dev libccd-dev liboctomap-dev libboost-dev libembree-dev libqhull-dev libcgal-dev libgmp-dev libmpfr-dev)

# build PRESET [TARGET…]: configures where needed and builds, showing only what goes wrong.
build() {
  local preset=$1
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
  echo "building $preset"
  cmake --build --preset "$preset" "${targets[@]}" >"$log" 2>&1 || {
    grep -v '^\[' "$log" >&2
    return 1
  }
}
