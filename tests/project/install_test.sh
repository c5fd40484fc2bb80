#!/usr/bin/env bash
# Installs the built library to a scratch prefix and builds a user's programs against it: through find_package and
# through pkg-config, with plain flags and with -march=native, with and without tinyxml2, which only whisker::io needs.
#   install_test.sh SOURCE_DIR BUILD_DIR CXX
set -eu
source=$1
build=$2
cxx=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }

# configure OPTIONS...: configures the user's programs, afresh.
configure() {
  rm -rf "$scratch/consumer"
  cmake -G Ninja -S "$source/tests/project/consumer" -B "$scratch/consumer" -DCMAKE_CXX_COMPILER="$cxx" \
    -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_BUILD_TYPE=Release "$@" >"$scratch/log" 2>&1
}
# try PROGRAM OPTIONS...: configures, builds and runs a program.
try() {
  local program=$1
  shift
  configure "$@" && cmake --build "$scratch/consumer" >>"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
  "$scratch/consumer/$program"
}

for flags in "" "-march=native" "-O3 -march=native -ffp-contract=fast"; do
  echo "find_package, flags '$flags'"
  try consumer "-DCMAKE_CXX_FLAGS=$flags"
done
echo "find_package with the component io"
try io_consumer -DWITH_IO=ON

echo "find_package without tinyxml2"
missing=-DCMAKE_DISABLE_FIND_PACKAGE_tinyxml2=TRUE
try consumer $missing -DEXPECT_IO=OFF
echo "find_package with the component io, without tinyxml2"
if configure $missing -DWITH_IO=ON; then
  echo "whisker::io was found without tinyxml2"
  exit 1
fi
# CMake breaks the lines of messages.
tr -s ' \n' ' ' <"$scratch/log" | grep -o 'whisker::io needs tinyxml2, which was not found: install it' ||
  { cat "$scratch/log"; exit 1; }

pc=$(dirname "$(find "$scratch/prefix" -name whisker.pc)")
# by_pkg_config PACKAGE PROGRAM
by_pkg_config() {
  echo "pkg-config $1"
  local flags
  read -ra flags <<<"$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs "$1")"
  "$cxx" -std=c++20 "$source/tests/project/consumer/$2.cpp" -o "$scratch/by_pkg_config" "${flags[@]}"
  LD_LIBRARY_PATH=$(dirname "$pc") "$scratch/by_pkg_config"
}
by_pkg_config whisker consumer
by_pkg_config whisker_io io_consumer
by_pkg_config whisker_methods consumer
