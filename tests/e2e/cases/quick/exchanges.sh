# SPDX-License-Identifier: GPL-3.0-or-later
# Sparse sums can be trained over: scripts/exchanges.lua, cut short. SparCML loses nothing, so it
# learns what gathering does, and every exchange there is can be named.
ends 0 egc-sim run "$ROOT/scripts/exchanges.lua" --out out --quiet \
    --set steps=3 --set workers=5 --set workload.train_examples=400 --set workload.test_examples=100
[ "$(column out/runs.csv exchange | sort | xargs)" = \
    "allgather-bruck gtopk ok-topk ring sparcml sparcml-split" ] || fail "not the exchanges asked for"
[ "$(column out/runs.csv status | sort -u)" = ok ] || fail "an exchange failed"
loss() {
    awk -F, -v want="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["exchange"] == want { printf "%.3f\n", $at["loss"] }' out/runs.csv
}
[ "$(loss sparcml)" = "$(loss allgather-bruck)" ] || fail "SparCML must learn what gathering does"
[ "$(loss sparcml-split)" = "$(loss allgather-bruck)" ] || fail "and so must its other half"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["union_density"] != "" && !($at["fill_in"] >= 1 && $at["fill_in"] <= 5) { exit 1 }' out/steps.csv ||
    fail "supports can not fill in by less than 1 or more than the workers"
refuses 1 "--set exchange=gtop: exchange: unknown exchange \"gtop\"; valid: ring, allgather-ring, allgather-rd, broadcast-tree, alltoall, rabenseifner, recursive-doubling, binomial-tree, double-tree, hierarchical, hierarchical-tree, allgather-bruck, allgather-hierarchical, gtopk, sparcml, sparcml-split, ok-topk" \
    egc-sim run "$ROOT/scripts/exchanges.lua" --set exchange=gtop
