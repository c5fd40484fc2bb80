#!/usr/bin/env bash
# Compiles every public header by itself, like a user who includes only that header.
#   headers_test.sh SOURCE_DIR CXX FLAGS…
# Nearly all of the time would go into Eigen/Core, which vector.hpp includes. It is precompiled for the headers that
# include vector.hpp directly or indirectly. Other headers are compiled without it.
set -eu
source=$1
cxx=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$source/include"
mapfile -t headers < <(find whisker -name '*.hpp' | sort)
[ "${#headers[@]}" -gt 50 ] || { echo "only ${#headers[@]} headers in $source/include"; exit 1; }

compile=("$cxx" -std=c++20 "$@" -I"$source/include")
echo '#include <Eigen/Core>' >"$scratch/core.hpp"
"${compile[@]}" -x c++-header "$scratch/core.hpp" -o "$scratch/core.hpp.gch"

# The headers that include vector.hpp, with one more level of includes in each round.
reaching=" whisker/vector.hpp "
for ((more = 1; more;)); do
  more=0
  for header in "${headers[@]}"; do
    [[ $reaching == *" $header "* ]] && continue
    for included in $(sed -n 's/^#include <\(whisker\/.*\)>.*/\1/p' "$header"); do
      if [[ $reaching == *" $included "* ]]; then
        reaching+="$header "
        more=1
        break
      fi
    done
  done
done

check() {  # HEADER
  local before=()
  [[ $reaching == *" $1 "* && $1 != whisker/vector.hpp ]] && before=(-include "$scratch/core.hpp")
  local file=$scratch/${1//\//_}.cpp
  echo "#include <$1>" >"$file"
  "${compile[@]}" "${before[@]}" -fsyntax-only "$file" || { echo "FAILED: $1"; touch "$scratch/failed"; }
}
for header in "${headers[@]}"; do
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
  check "$header" &
done
wait
echo "${#headers[@]} headers, of which $(wc -w <<<"$reaching") reach Eigen"
[ ! -e "$scratch/failed" ]
