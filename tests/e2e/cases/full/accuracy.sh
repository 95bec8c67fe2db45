# SPDX-License-Identifier: GPL-3.0-or-later
# Training in the simulated cluster learns; compression costs little; and compression that leaves
# nothing out changes nothing.
cat >x.lua <<'END'
local function train(lr)
  return egc.workload.train { model = "mlp", batch = 32, lr = lr, test_examples = 2000 }
end
local cluster = egc.cluster.star {
  hosts = 4, bandwidth = "1Gbps", latency = "50us", device = "v100",
}
return {
  egc.experiment {
    name = "untrained", workload = train(1e-12), cluster = cluster, workers = 4,
    method = "none", steps = 1,
  },
  egc.experiment {
    name = "trained", workload = train(0.05), cluster = cluster, workers = 4, steps = 150,
    method = egc.each { "none", egc.topk { ratio = 1, memory = "none" }, "egc" },
  },
}
END
LIMIT=200 ends 0 egc-sim run x.lua --out here --jobs 2

points() {
    awk "BEGIN { print int(100 * $1 + 0.5) }"
}
set -- $(column here/untrained/runs.csv accuracy) $(column here/trained/runs.csv accuracy)
[ $# -eq 4 ] || fail "four runs, got accuracies $*"
echo "untrained $1, none $2, topk of everything $3, egc $4"
