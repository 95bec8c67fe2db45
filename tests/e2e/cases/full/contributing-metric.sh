# SPDX-License-Identifier: GPL-3.0-or-later
# CONTRIBUTING.md shows how to add a metric: its row and its assignment, added to a copy of the tree,
# give columns with the right values that are listed, described, and not mistaken for an axis by plots.
command -v git >/dev/null || skip "git is not there to copy the tree with"
git -C "$ROOT" ls-files >files 2>/dev/null || skip "$ROOT is not a git checkout"
mkdir tree
tar -C "$ROOT" -cf - -T files 2>/dev/null | tar -C tree -xf -
cd tree || exit

# add FILE LINE: adds the code that the page shows for the file below the line that contains LINE.
add() {
    awk -v mark="<!-- below $2 in $1 -->" '
        index($0, mark)                { found = 1; next }
        found && /^ *```c$/            { inside = 1; next }
        inside && /^ *```$/            { exit }
        inside                         { sub(/^   /, ""); print }' CONTRIBUTING.md >code
    [ -s code ] || fail "CONTRIBUTING.md shows nothing to add to $1"
    awk -v line="$2" '{ print } index($0, line) { while ((getline code < "code") > 0) print code }' "$1" >changed
    mv changed "$1"
    grep -q message_bytes "$1" || fail "$1 has no line with $2"
}
add sim/train/metrics/metrics.def 'EGC_METRIC(joules,'
add sim/train/metrics/step_stats.c '.joules ='

LIMIT=60 ends 0 cmake -S . -B build -G Ninja -DCMAKE_C_FLAGS=-O1
LIMIT=280 ends 0 cmake --build build --target egc-sim
ends 0 build/sim/cli/egc-sim list metrics
grep -q '^message_bytes *messages of all workers' "$SCRATCH/stdout" || fail "the metric is not listed"
ends 0 build/sim/cli/egc-sim describe message_bytes
grep -q 'runs.csv, steps.csv' "$SCRATCH/stdout" || fail "describe does not name its files"
cat >use.lua <<'END'
return egc.experiment {
  name = "use", workers = egc.each { 2, 3 }, steps = 3, method = egc.each { "none", "topk" },
  workload = egc.workload.train { model = "mlp", train_examples = 200, test_examples = 100 },
  cluster = egc.cluster.star { hosts = 3 },
}
END
ends 0 build/sim/cli/egc-sim run use.lua --out out
awk -F, '
    FNR == 1    { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; if (!at["message_bytes"]) exit 1; next }
    FNR == NR   { sent[$1] += $at["sent_bytes"]; total[$1] += $at["message_bytes"]; next }
                { if ($at["message_bytes"] != total[$1] || total[$1] != $at["workers"] * sent[$1]) exit 1; n++ }
    END         { if (n != 4) exit 1 }' out/steps.csv out/runs.csv || fail "message_bytes is wrong"
if command -v gnuplot >/dev/null; then
    ends 0 build/sim/cli/egc-sim plot out
    [ "$(ls out/plots/ratio*.svg | wc -l)" -eq 2 ] || fail "plots take the metric for an axis"
fi
