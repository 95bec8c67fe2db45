# SPDX-License-Identifier: GPL-3.0-or-later
# Training once what several points learn alike gives the bytes that training each gives: with any
# number of jobs, after an interruption or a kill, with damaged logs, on a disk without room for one.
share=$EXPERIMENTS/share.lua
ends 0 egc-sim run "$share" --out apart --no-share
[ "$(rows apart/runs.csv)" -eq 32 ] || fail "32 points must have a row each"
[ "$(column apart/runs.csv status | grep -c diverged)" -eq 4 ] || fail "one method must diverge"
[ "$(column apart/runs.csv speedup | sort -u | wc -l)" -gt 8 ] || fail "networks must differ"

nothing_left() {
    [ ! -e "$1/.spool" ] || fail "$1 holds more than results: $(ls -R "$1/.spool")"
}
for jobs in 1 2; do
    ends 0 egc-sim run "$share" --out "with-$jobs" --jobs "$jobs"
    same_results "with-$jobs" apart
    nothing_left "with-$jobs"
done
for part in 1 2 3; do # of a learning's four points, each part has one or two
    ends 0 egc-sim run "$share" --out "part-$part" --shard "$part/3" --jobs 2
done
ends 0 egc-sim merge part-2 part-3 part-1 --out joined
same_results joined apart

# ---- while there are logs ------------------------------------------------------------------------

has_log() {
    find here/.spool/learning -type f ! -name '*.draft' 2>/dev/null | grep -q .
}
start_until_log() {
    env --default-signal=INT egc-sim run "$share" --out here --jobs 2 --quiet "$@" \
        >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" &
    run=$!
    until_true has_log
    children=$(children_of "$run")
}

start_until_log
kill -INT "$run"
await_run
children_gone
[ "$got_exit" -eq 1 ] || fail "exit $got_exit after SIGINT instead of 1"
[ ! -e here/.spool/learning ] || fail "an interrupted run must leave no log"
start_until_log --resume
kill -KILL "$run"
await_run
children_gone
[ -e here/.spool/learning ] || fail "the kill came too late"
ends 0 egc-sim run "$share" --out here --resume --jobs 2
same_results here apart
nothing_left here
rm -r here

# Logs cut short; children that have opened theirs keep it.
start_until_log
kill -STOP "$run"
for log in here/.spool/learning/*; do
    [ -e "$log" ] || continue
    head -c 3000 "$log" >"$SCRATCH/short"
    mv "$SCRATCH/short" "$log"
done
kill -CONT "$run"
await_run
children=
[ "$got_exit" -eq 0 ] || fail "exit $got_exit with a damaged log instead of 0"
same_results here apart
nothing_left here
rm -r here

# ---- points that run out of time -----------------------------------------------------------------

limit="--set max_sim_time=20ms"
# shellcheck disable=SC2086 # two words
ends 1 egc-sim run "$share" --out late-apart --no-share $limit
# shellcheck disable=SC2086
ends 1 egc-sim run "$share" --out late --jobs 2 $limit
late=$(column late/runs.csv status | grep -c timeout)
{ [ "$late" -gt 4 ] && [ "$late" -lt 28 ]; } || fail "$late points ran out of time"
same_results late late-apart

# ---- a disk with a third more room than rows need ---------------------------------------------
# A third, because points that share are run in another order than they are written in, so that more
# of their records wait for their turn.

unshare -m true 2>/dev/null || exit 0 # the rest needs a disk of its own
on_a_disk_of() {
    unshare -m sh -eu -s "$@" <<'END'
mkdir -p disk
mount -t tmpfs -o "size=$1" none disk
shift
timeout 60 egc-sim run "$EXPERIMENTS/share.lua" --out disk/here --quiet "$@" >"$SCRATCH/log" 2>&1
cp disk/here/*.csv copy
END
}
mkdir copy
size=$(cat apart/*.csv | wc -c)
size=$((2 * size / 1024)) # drafts of the files, and what they replace
until on_a_disk_of "${size}k" --no-share; do
    size=$((size * 9 / 8))
    [ "$size" -lt 2000 ] || fail "no disk is large enough"
done
rm copy/*
size=$((size * 4 / 3))
on_a_disk_of "${size}k" || fail "a log took the room of rows: $(cat "$SCRATCH/log")"
same_results copy apart
