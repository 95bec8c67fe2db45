# SPDX-License-Identifier: GPL-3.0-or-later
# Experiments of scripts/ that no other test runs do run, cut short, and end as they say.
ends 1 egc-sim run "$ROOT/scripts/faults.lua" --out faults --jobs 2 --quiet --set steps=16
[ "$(ls faults | wc -l)" -eq 7 ] || fail "seven folders wanted"
for name in even stragglers jitter background slow-link dropped-host; do
    [ "$(column "faults/$name/runs.csv" status | sort -u)" = ok ] || fail "$name is not ok"
done
[ "$(column faults/lost-host/runs.csv status | sort -u)" = failed ] || fail "a host must be lost"
[ "$(grep -c 'worker 3 was lost with its host at 0.01 s\|rank 3 ' faults/lost-host/runs.csv)" -eq 2 ] ||
    fail "the lost host must be named"

ends 0 egc-sim trace record --out trace.h5 --workers 4 --steps 2
ends 0 egc-sim run "$ROOT/scripts/bandwidth.lua" --out bandwidth --jobs 2 --quiet --set steps=2 \
    --set workload.file=trace.h5
[ "$(column bandwidth/runs.csv status | grep -c ok)" -eq 28 ] || fail "28 points wanted"

ends 0 egc-sim run "$ROOT/scripts/models.lua" --out models --jobs 2 --quiet --set steps=1 \
    --set workload.model=resnet20
[ "$(column models/runs.csv status | grep -c ok)" -eq 8 ] || fail "8 points wanted"
