#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/fuzz.sh SECONDS [--keep]: runs every fuzz target, or those named in EGC_FUZZ_TARGETS, for
# so many seconds. It starts from the targets' seeds, tests/fuzz/corpus and what earlier runs found.
# An input that breaks a promise is left in build/fuzz and its path printed. --keep rewrites
# tests/fuzz/corpus with the inputs that reach code no seed does, as few as will do.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:?usage: scripts/fuzz.sh SECONDS [--keep]}

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzz-targets

failed=0
for target in ${EGC_FUZZ_TARGETS:-sparse coders range messages}; do
  program=build/fuzz/tests/fuzz/libfuzzer_$target
  corpus=tests/fuzz/corpus/$target
  seeds=build/fuzz/seeds/$target
  found=build/fuzz/found/$target
  log=build/fuzz/$target.log
  rm -rf "$seeds"
  mkdir -p "$corpus" "$seeds" "$found"
  build/fuzz/tests/fuzz/fuzz_$target --seeds "$seeds"
  echo "== Fuzzing $target for $seconds s"
  "$program" -max_total_time="$seconds" -max_len=4096 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/$target-" "$found" "$corpus" "$seeds" >"$log" 2>&1 || {
    tail -n 40 "$log"
    failed=1
  }
  grep -E "stat::number_of_executed_units|stat::new_units_added" "$log" || true
  if [ "${2:-}" = "--keep" ]; then
    # By code reached alone, not by how often: few inputs.
    merged=build/fuzz/merged/$target
    rm -rf "$merged"
    mkdir -p build/fuzz/merged
    cp -r "$seeds" "$merged"
    "$program" -merge=1 -use_counters=0 -max_len=600 "$merged" "$corpus" "$found" >"$log" 2>&1
    rm -f "$corpus"/*
    for input in "$merged"/*; do
      [ -e "$seeds/$(basename "$input")" ] || cp "$input" "$corpus"
    done
  fi
done
exit $failed
