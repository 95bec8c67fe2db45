# SPDX-License-Identifier: GPL-3.0-or-later
# One experiment gives the same bytes however it is run: again, in parallel, in shards.
sweep=$EXPERIMENTS/sweep.lua
ends 0 egc-sim run "$sweep" --out one --jobs 1
ends 0 egc-sim run "$sweep" --out again --jobs 1
ends 0 egc-sim run "$sweep" --out two --jobs 2
ends 0 egc-sim run "$sweep" --out two-again --jobs 2
[ "$(rows one/runs.csv)" -eq 20 ] || fail "20 points must have a row each"
[ "$(rows one/steps.csv)" -eq 80 ] || fail "20 points of 4 steps must have a row each"
[ "$(rows one/evals.csv)" -eq 40 ] || fail "20 points are evaluated after 2 and 4 steps"
[ "$(rows one/layers.csv)" -ge 160 ] || fail "each step has a row for each unit"
same_results one again
same_results one two
same_results one two-again

for part in 1 2 3; do
    ends 0 egc-sim run "$sweep" --out "part-$part" --shard "$part/3" --jobs 2
done
ends 0 egc-sim merge part-2 part-3 part-1 --out joined
same_results one joined
