#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs every fuzz target for so many seconds: scripts/fuzz.sh SECONDS [--keep]. It starts from what
# tests/fuzz/corpus and earlier runs hold. An input that breaks a promise is left in build/fuzz and
# its path printed; --keep adds what reached new code to tests/fuzz/corpus, minimised.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:?usage: scripts/fuzz.sh SECONDS [--keep]}

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzz-targets

failed=0
for source in tests/fuzz/corpus/*; do
  target=$(basename "$source")
  program=build/fuzz/tests/fuzz/fuzz_$target
  found=build/fuzz/found/$target
  mkdir -p "$found"
  echo "== Fuzzing $target for $seconds s"
  "$program" -max_total_time="$seconds" -max_len=4096 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/$target-" "$found" "$source" >"build/fuzz/$target.log" 2>&1 || {
    tail -n 40 "build/fuzz/$target.log"
    failed=1
  }
  grep -E "stat::number_of_executed_units|stat::new_units_added" "build/fuzz/$target.log" || true
  # By code reached alone, not by how often: few inputs.
  [ "${2:-}" != "--keep" ] ||
    "$program" -merge=1 -use_counters=0 -max_len=600 "$source" "$found" >/dev/null 2>&1
done
exit $failed
