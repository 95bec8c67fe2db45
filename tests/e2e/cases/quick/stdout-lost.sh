# SPDX-License-Identifier: GPL-3.0-or-later
# A table that cannot be written is an error, and the results are complete all the same.
small=$EXPERIMENTS/small.lua
ends 0 egc-sim run "$small" --out whole

got=0
within_limit egc-sim run "$small" --out full --quiet >/dev/full 2>"$SCRATCH/stderr" || got=$?
[ $got -eq 1 ] || fail "exit $got with a full standard output instead of 1"
says "cannot write to standard output: No space left on device"
same_results full whole

got=0
within_limit egc-sim bench compressors --method topk --elements 10 --csv bench.csv >/dev/full \
    2>"$SCRATCH/stderr" || got=$?
[ $got -eq 1 ] || fail "exit $got with a full standard output instead of 1"
says "cannot write to standard output: No space left on device"
[ "$(rows bench.csv)" -eq 1 ] || fail "what was measured is lost"

got=0
within_limit egc-sim run "$small" --out closed --quiet >&- 2>"$SCRATCH/stderr" || got=$?
[ $got -eq 1 ] || fail "exit $got with standard output closed instead of 1"
says "cannot write to standard output: Bad file descriptor"
same_results closed whole

# What is opened first must not take the place of a stream that was closed.
within_limit egc-sim run "$small" --out mute --quiet <&- >"$SCRATCH/stdout" 2>&- ||
    fail "exit $? without standard input and standard error"
same_results mute whole
within_limit egc-sim run "$small" --out none --quiet <&- >&- 2>&- && fail "no table, and no error"
same_results none whole

# A reader that has seen enough ends the program; one that has the signal ignored gets an error.
broken_pipe() {
    { "$@" 2>"$SCRATCH/stderr" || echo $? >"$SCRATCH/exit"; } | true
    cat "$SCRATCH/exit"
}
[ "$(broken_pipe within_limit egc-sim list)" -eq 141 ] || fail "a pipe without a reader must end it"
[ "$(broken_pipe env --ignore-signal=PIPE egc-sim list)" -eq 1 ] ||
    fail "a pipe without a reader must be an error"
says "cannot write to standard output: Broken pipe"
