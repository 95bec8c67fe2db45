# SPDX-License-Identifier: GPL-3.0-or-later
# Federated training and gossip give the same bytes with any number of jobs, say what is theirs to
# say, and are refused by the key at fault. The scripts that show them, and a parameter server, run, cut short.
here=$EXPERIMENTS/gatherings.lua
ends 0 egc-sim run "$here" --out one --jobs 1
ends 0 egc-sim run "$here" --out two --jobs 2
same_results one two
[ "$(column one/runs.csv status | grep -c ok)" -eq 12 ] || fail "12 points must be there"
[ "$(column one/runs.csv consensus | grep -c .)" -eq 6 ] || fail "consensus is for gossip alone"
[ "$(column one/runs.csv recv_bytes | sort -u | wc -l)" -gt 5 ] || fail "downlinks must differ"

ends 0 egc-sim run "$here" --out three --quiet --set seed=2
cmp -s one/evals.csv three/evals.csv && fail "another seed samples other clients"

refuses 1 '--set algorithm.participation=2: algorithm.participation: must be in (0, 1], got 2' \
    egc-sim run "$here" --out none --set algorithm.participation=2

for script in ps federated gossip; do
    ends 0 egc-sim run "$ROOT/scripts/$script.lua" --out "$script" --jobs 2 --quiet --set steps=1 \
        --set workload.model=softmax --set workload.train_examples=2000 \
        --set workload.test_examples=100
    [ "$(column "$script/runs.csv" status | grep -vc ok)" -eq 0 ] || fail "$script: a point failed"
done
