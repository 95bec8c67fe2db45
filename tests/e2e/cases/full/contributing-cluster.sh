# SPDX-License-Identifier: GPL-3.0-or-later
# CONTRIBUTING.md shows how to add a cluster: its steps, followed to the letter in a copy of the tree,
# give a cluster that builds, is described as its file says, and can be trained on.
command -v git >/dev/null || skip "git is not there to copy the tree with"
git -C "$ROOT" ls-files >files 2>/dev/null || skip "$ROOT is not a git checkout"
mkdir tree
tar -C "$ROOT" -cf - -T files 2>/dev/null | tar -C tree -xf -
cd tree || exit

file=sim/net/cluster/dumbbell.c
awk -v file="<!-- file: $file -->" '
     index($0, file)         { found = 1; next }
     found && /^ *```c$/     { inside = 1; next }
     inside && /^ *```$/     { exit }
     inside                  { sub(/^   /, ""); print }' CONTRIBUTING.md >$file
grep -q egc_cluster_dumbbell $file || fail "CONTRIBUTING.md shows no dumbbell.c"
echo 'EGC_CLUSTER(dumbbell)' >>sim/net/cluster/list.def

LIMIT=60 ends 0 cmake -S . -B build -G Ninja -DCMAKE_C_FLAGS=-O1
LIMIT=280 ends 0 cmake --build build --target egc-sim
ends 0 build/sim/cli/egc-sim describe dumbbell --set hosts=3 --set middle=2
grep -q 'bisection   2 Gbps' "$SCRATCH/stdout" || fail "describe does not say the bisection bandwidth"
grep -q 'diameter    3 links, 150 us' "$SCRATCH/stdout" || fail "describe does not say the diameter"
cat >use.lua <<'END'
return egc.experiment {
  name = "use", workers = 4, steps = 3, method = "none",
  workload = egc.workload.train { model = "mlp", train_examples = 200, test_examples = 100 },
  cluster = egc.cluster.dumbbell { hosts = 2, middle = 0.5 },
}
END
ends 0 build/sim/cli/egc-sim run use.lua --out out
grep -q 'dumbbell' out/runs.csv || fail "no run in runs.csv"
