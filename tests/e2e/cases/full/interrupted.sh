# SPDX-License-Identifier: GPL-3.0-or-later
# Signals that ask a run to end: it publishes what it has, says so in one line, and can be resumed.
slow=$EXPERIMENTS/slow.lua
ends 0 egc-sim run "$slow" --out whole
has_row() {
    [ "$(rows cut/runs.csv)" -ge 1 ]
}

for signal in INT:2 TERM:15 HUP:1; do
    # A shell's background process would ignore SIGINT.
    env --default-signal=INT egc-sim run "$slow" --out cut --jobs 2 \
        >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" &
    run=$!
    until_true has_row
    children=$(children_of "$run")
    [ -n "$children" ] || fail "nothing was running"
    kill -"${signal%:*}" "$run"
    await_run
    [ "$got_exit" -eq 1 ] || fail "exit $got_exit after SIG${signal%:*} instead of 1"
    children_gone
    prints_nothing
    says "interrupted by signal ${signal#*:}; the same command with --resume continues"
    complete_rows cut whole
    refuses 1 "cut: holds results already; continue them with --resume or choose another --out" \
        egc-sim run "$slow" --out cut
    ends 0 egc-sim run "$slow" --out cut --resume
    same_results cut whole
    rm -r cut
done
