# SPDX-License-Identifier: GPL-3.0-or-later
# Ctrl-C while a script simulates, or while gnuplot draws, ends the program and all it started.

# end_by_ctrl_c PATTERN COMMAND...: runs it as a terminal would, sends SIGINT to its process group
# once COMMAND has a child, and expects it to end by that signal.
end_by_ctrl_c() {
    setsid env --default-signal=INT "$@" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" &
    run=$!
    until_true has_child "$run"
    children=$(children_of "$run")
    kill -INT "-$run"
    await_run
    [ "$got_exit" -eq 130 ] || fail "exit $got_exit after Ctrl-C instead of 130: $*"
    for child in $children; do
        until_true gone "$child"
    done
}
has_child() {
    [ -n "$(children_of "$1")" ]
}

cat >search.lua <<'END'
egc.simulate {
  workload = egc.workload.train { model = "mlp" },
  cluster = egc.cluster.star { hosts = 2, device = "v100" },
  workers = 2, method = "none", steps = 1000000,
}
END
end_by_ctrl_c egc-sim run search.lua
[ "$(ls -A)" = search.lua ] || fail "an interrupted script left files"

ends 0 egc-sim run "$EXPERIMENTS/small.lua" --out here
mkdir slow
cat >slow/gnuplot <<'END'
#!/bin/sh
exec sleep 60
END
chmod +x slow/gnuplot
PATH=$PWD/slow:$PATH
end_by_ctrl_c egc-sim plot here
