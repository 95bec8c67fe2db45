# SPDX-License-Identifier: GPL-3.0-or-later
# The headline experiments, cut short: every method runs, twice with the same results, and what is
# learnt does not depend on the network. The scripts of their tuning and of the ablation load.
[ -d /usr/share/datasets/fashion-mnist ] || skip "the Debian package dataset-fashion-mnist is not installed"
command -v bible >/dev/null || skip "the Debian packages bible-kjv and bible-kjv-text are not installed"
LIMIT=180
EGC_DATA=$PWD/data
export EGC_DATA
ends 0 "$ROOT/scripts/make_kjv_text.sh" data/kjv

for task in image language; do
    script=$ROOT/scripts/headline-$task.lua
    ends 0 egc-sim run "$script" --jobs 2 --set steps=8 --set seed=1 --out "$task"
    ends 0 egc-sim run "$script" --jobs 2 --set steps=8 --set seed=1 --out "$task-again"
    same_results "$task" "$task-again"
    [ "$(rows "$task/runs.csv")" -eq 36 ] || fail "9 methods, 4 and 8 workers, 2 bandwidths"
    if column "$task/runs.csv" status | grep -vx ok >&2; then fail "not every point is ok"; fi
done
for script in tuning ablation; do
    ends 0 egc-sim run "$ROOT/scripts/$script.lua" --dry-run
done
