# SPDX-License-Identifier: GPL-3.0-or-later
# Whatever it is doing, the program ends when it is told to or killed, and what it started ends
# with it.
cat >endless.lua <<'END'
local point = {
  name = "endless", workload = egc.workload.train { model = "mlp" },
  cluster = egc.cluster.star { hosts = 2, device = "v100" },
  workers = 2, method = "none", steps = 1000000,
}
if ENDLESS_SEARCH then egc.simulate(point) end
return egc.experiment(point)
END
sed 's/ENDLESS_SEARCH/true/' endless.lua >search.lua
files >"$SCRATCH/files"

# stopped_by SIGNAL EXIT COMMAND...: runs it as the leader of a process group, as a terminal does,
# sends the signal to the group once COMMAND has a child, and waits for its end.
stopped_by() {
    signal=$1 wanted_exit=$2
    shift 2
    setsid env --default-signal=INT "$@" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" &
    run=$!
    until_true has_child
    sleep 0.3 # for the child to be at work
    kill "-$signal" "-$run"
    await_run
    children_gone
    [ "$got_exit" -eq "$wanted_exit" ] || fail "exit $got_exit instead of $wanted_exit: $*"
    prints_nothing
}
has_child() {
    children=$(children_of "$run")
    [ -n "$children" ]
}

stopped_by INT 1 egc-sim run endless.lua --out cut
says "interrupted by signal 2; the same command with --resume continues"
stopped_by INT 1 egc-sim run endless.lua --out cut --resume
stopped_by KILL 137 egc-sim run endless.lua --out cut --resume
[ "$(rows cut/runs.csv)" -eq 0 ] || fail "a row of a point that never ended"
rm -r cut

stopped_by INT 130 egc-sim run search.lua
files | diff - "$SCRATCH/files" >&2 || fail "a script that was stopped left files"

mkdir slow
printf '#!/bin/sh\nexec sleep 60\n' >slow/gnuplot
chmod +x slow/gnuplot
ends 0 egc-sim run "$EXPERIMENTS/small.lua" --out small
PATH=$PWD/slow:$PATH
stopped_by INT 130 egc-sim plot small
