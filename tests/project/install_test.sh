#!/usr/bin/env bash
# Installs the built library to a scratch prefix and builds a user's program against it: through find_package and through
# pkg-config, with plain flags and with -march=native.
#   install_test.sh SOURCE_DIR BUILD_DIR CXX
set -eu
source=$1
build=$2
cxx=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }

for flags in "" "-march=native" "-O3 -march=native -ffp-contract=fast"; do
  echo "find_package, flags '$flags'"
  cmake -G Ninja -S "$source/tests/project/consumer" -B "$scratch/consumer" -DCMAKE_CXX_COMPILER="$cxx" \
    -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=$flags" >"$scratch/log" 2>&1 &&
    cmake --build "$scratch/consumer" >>"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
  "$scratch/consumer/consumer"
done

echo "pkg-config"
pc=$(dirname "$(find "$scratch/prefix" -name whisker.pc)")
read -ra flags <<<"$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs whisker)"
"$cxx" -std=c++20 "$source/tests/project/consumer/consumer.cpp" -o "$scratch/by_pkg_config" "${flags[@]}"
"$scratch/by_pkg_config"
