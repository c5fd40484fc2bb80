#!/usr/bin/env bash
# fuzz.sh FUZZER SECONDS: runs one fuzzer, which searches for input on which a reader fails, starting from the corpus in
# tests/fuzz.
set -eu
fuzzer=$1
name=$(basename "$fuzzer")
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
log="build/$name.log"
if ! "$fuzzer" -max_total_time="$2" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 \
  -artifact_prefix="build/$name-" "$found" tests/fuzz/corpus >"$log" 2>&1; then
  tail -40 "$log" >&2
  echo "$name: failed; the input is in build/$name-*" >&2
  exit 1
fi
echo "$name: $(grep -oP 'number_of_executed_units: \K[0-9]+' "$log") runs, nothing found"
