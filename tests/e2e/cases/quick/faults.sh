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

with slow 'profiles = { { at = 0, link = "*", bandwidth = "10Mbps" } }'
with late 'stragglers = 0.5, straggler_slowdown = 3'
with uneven 'jitter = 2'
with crowded 'background = 0.9, background_burst = "1MB"'
for name in slow late uneven crowded; do
    learns_as_even $name
done
! column slow/steps.csv joules | grep -qv . || fail "energy must have a value at each step"

# The link fails in the second step of the point without compression.
with cut 'profiles = { { at = "9ms", link = "*link_1_*", state = "down" } }'
ends 1 egc-sim run cut.lua --out cut
grep -q 'step 1: bucket 0: rank [01] lost a message [a-z]* rank [01] at 0.009 s: a host or link failed' cut/runs.csv ||
    fail "the reason must name step, ranks and time"
[ "$(column cut/runs.csv status | xargs)" = "failed ok" ] || fail "one point must fail alone"
[ "$(column cut/steps.csv step | xargs)" = "0 0 1 2" ] || fail "rows before the failure must stay"

with lost 'profiles = { { at = "9ms", host = "host-1", state = "down" } }'
ends 1 egc-sim run lost.lua --out lost
grep -q 'step 1: ' lost/runs.csv || fail "the step must be named"
[ "$(column lost/runs.csv status | xargs)" = "failed ok" ] || fail "one point must fail alone"

# Back before anybody sends: nothing is lost.
with back 'profiles = { { at = 0, link = "*", state = "down" }, { at = "0.5us", link = "*", state = "up" } }'
ends 0 egc-sim run back.lua --out back

# Going on without the lost: the same until then, and an accuracy at the end.
with gone 'profiles = { { at = "9ms", host = "host-1", state = "down" } }'
ends 0 egc-sim run gone.lua --out gone --set on_failure=drop --set failure_timeout=20ms
[ "$(column gone/runs.csv status | xargs)" = "ok ok" ] || fail "one worker must go on alone"
[ "$(column gone/steps.csv step | xargs)" = "0 1 2 0 1 2" ] || fail "all steps must be there"
column gone/steps.csv step_s | sed -n 2p | awk '$1 < 0.02 { exit 1 }' ||
    fail "the step of the loss must take the timeout"
# What is applied is then the average of those who are left, and the drift falls.
column gone/steps.csv drift | sed -n 2,3p | xargs | awk '$2 >= $1 { exit 1 }' ||
    fail "sums must be divided by as many as take part"
column gone/runs.csv accuracy | awk '$1 < 0.2 { exit 1 }' || fail "what goes on must learn"

# A link that comes back before the timeout: the exchange is done again by both, with the same sum.
with flap 'profiles = { { at = "9ms", link = "*", state = "down" }, { at = "10ms", link = "*", state = "up" } }'
ends 0 egc-sim run flap.lua --out flap --set on_failure=drop --set failure_timeout=20ms
cut -d, -f2-14 even/steps.csv >even.learnt
cut -d, -f2-14 flap/steps.csv >flap.learnt
diff -u even.learnt flap.learnt >&2 || fail "nothing must be lost when a link comes back"

# Two workers that do not reach each other: neither may go on.
with split 'profiles = { { at = "9ms", link = "*link_1_*", state = "down" } }'
ends 1 egc-sim run split.lua --out split --set on_failure=drop --set failure_timeout=20ms
grep -q 'step 1: no group of workers that reach each other at 0.029 s is more than half of the 2' split/runs.csv ||
    fail "the halves of a cut network must not go on"

cp "$small" x.lua
for method in cltk signsgd; do
    refuses 1 "x.lua:3: on_failure: method $method, whose messages have a leader or owners, can only stop, got drop" \
        egc-sim run x.lua --set method=$method --set on_failure=drop
done
for streams in exchange_order=priority partition=4KiB compress_on=stream bucket=fusion; do
    refuses 1 "x.lua:3: on_failure: with ${streams%%=*}..." egc-sim run x.lua --set $streams --set on_failure=drop
done
