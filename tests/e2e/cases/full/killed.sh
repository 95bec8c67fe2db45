# SPDX-License-Identifier: GPL-3.0-or-later
# A run that is killed at any moment leaves complete rows and no process, and can be resumed.
slow=$EXPERIMENTS/slow.lua
ends 0 egc-sim run "$slow" --out whole

has_rows() {
    [ "$(rows killed/runs.csv)" -ge "$1" ]
}
has_record() {
    find killed/.spool -mindepth 1 -maxdepth 1 ! -name '*.draft' 2>/dev/null | grep -q .
}

# kill_when COMMAND...: starts a run and kills it once the command succeeds.
kill_when() {
    egc-sim run "$slow" --out killed --jobs 2 --quiet $resume >"$SCRATCH/log" 2>&1 &
    run=$!
    until_true "$@"
    children=$(children_of "$run")
    kill -KILL "$run" 2>/dev/null || fail "the run was over before it could be killed"
    await_run
    [ "$got_exit" -eq 137 ] || fail "exit $got_exit of a run that was killed"
    children_gone
    complete_rows killed whole
}

for moment in "has_rows 1" "has_rows 4" has_record "test -e killed/manifest.json"; do
    resume=
    # shellcheck disable=SC2086 # a command and its argument
    kill_when $moment
    refuses 1 "killed: holds results already; continue them with --resume or choose another --out" \
        egc-sim run "$slow" --out killed
    ends 0 egc-sim run "$slow" --out killed --jobs 2 --resume
    same_results killed whole
    rm -r killed
done

# Over and over in the same folder, until it is done.
resume=
for wanted in 1 2 4; do
    kill_when has_rows "$wanted"
    resume=--resume
done
ends 0 egc-sim run "$slow" --out killed --resume
same_results killed whole
