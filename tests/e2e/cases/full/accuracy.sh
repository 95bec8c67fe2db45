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
    name = "trained", workload = train(0.05), cluster = cluster, workers = 4, steps = 200,
    method = egc.each { "none", egc.topk { ratio = 1, memory = "none" }, "egc" },
  },
}
END
LIMIT=200 ends 0 egc-sim run x.lua --out here --jobs 2

# shellcheck disable=SC2046 # one word each
set -- $(column here/untrained/runs.csv accuracy) $(column here/trained/runs.csv accuracy)
[ $# -eq 4 ] || fail "four runs must have an accuracy each, got $*"
echo "accuracy: untrained $1, none $2, topk of everything $3, egc $4"

# holds U N T E WHAT CONDITION: of the accuracies u, n, t and e of the four runs.
holds() {
    awk -v u="$1" -v n="$2" -v t="$3" -v e="$4" "BEGIN { exit !($6) }" || fail "$5"
}
holds "$@" "an untrained network must guess one in ten" 'u > 0.05 && u < 0.15'
holds "$@" "training without compression must learn" 'n > 0.8'
holds "$@" "sending everything by topk must be training without compression" \
    't - n < 0.005 && n - t < 0.005'
holds "$@" "egc must stay within 3 points of none" 'e > n - 0.03'
holds "$@" "egc must compress" "$(column here/trained/runs.csv compression_ratio | tail -1) > 100"
