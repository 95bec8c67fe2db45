# SPDX-License-Identifier: GPL-3.0-or-later
# Links and hosts that fail in the midst of a run: one line, exit 1, and the rows until then; slow
# ones and the traffic of others only take time, and learn the same.
small=$EXPERIMENTS/small.lua
ends 0 egc-sim run "$small" --out even --set energy=true

# with NAME FIELDS: the small experiment, its cluster with more fields, is in NAME.lua.
with() {
    sed "s/hosts = 2/hosts = 2, $2/" "$small" >"$1.lua"
    ! cmp -s "$small" "$1.lua" || fail "the edit changed nothing: $2"
}

# learns_as_even NAME: the run took longer, and came to the same accuracy.
learns_as_even() {
    ends 0 egc-sim run "$1.lua" --out "$1" --set energy=true
    [ "$(column "$1/runs.csv" accuracy)" = "$(column even/runs.csv accuracy)" ] ||
        fail "$1 must learn what an even cluster learns"
    [ "$(column "$1/runs.csv" joules | head -n 1)" != "$(column even/runs.csv joules | head -n 1)" ] ||
        fail "$1 must need another energy"
    paste -d" " even.times "$(list_times "$1")" |
        awk '$1 >= $2 { exit 1 }' || fail "$1 must take longer"
}

# list_times NAME: writes the simulated times of its points to NAME.times.
list_times() {
    column "$1/runs.csv" sim_time_s >"$1.times"
    echo "$1.times"
}
list_times even >/dev/null

with slow 'events = { { at = 0, link = "*", bandwidth = "10Mbps" } }'
with late 'stragglers = 0.5, straggler_slowdown = 3'
with uneven 'jitter = 2'
with crowded 'background = 0.9, background_burst = "1MB"'
for name in slow late uneven crowded; do
    learns_as_even $name
done
! column slow/steps.csv joules | grep -qv . || fail "energy must have a value at each step"

# The link fails in the second step of the point without compression.
with cut 'events = { { at = "9ms", link = "*link_1_*", state = "down" } }'
ends 1 egc-sim run cut.lua --out cut
grep -q 'step 1: bucket 0: rank [01] lost a message [a-z]* rank [01] at 0.009 s: a host or link failed' cut/runs.csv ||
    fail "the reason must name step, ranks and time"
[ "$(column cut/runs.csv status | xargs)" = "failed ok" ] || fail "one point must fail alone"
[ "$(column cut/steps.csv step | xargs)" = "0 0 1 2" ] || fail "rows before the failure must stay"

with lost 'events = { { at = "9ms", host = "host-1", state = "down" } }'
ends 1 egc-sim run lost.lua --out lost
grep -q 'step 1: ' lost/runs.csv || fail "the step must be named"
[ "$(column lost/runs.csv status | xargs)" = "failed ok" ] || fail "one point must fail alone"

# Back before anybody sends: nothing is lost.
with back 'events = { { at = 0, link = "*", state = "down" }, { at = "0.5us", link = "*", state = "up" } }'
ends 0 egc-sim run back.lua --out back
