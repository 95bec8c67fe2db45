-- SPDX-License-Identifier: GPL-3.0-or-later
-- Points long enough to be interrupted.
return egc.experiment {
  name     = "slow",
  workload = egc.workload.train {
    model = "mlp", batch = 32, train_examples = 1024, test_examples = 200,
  },
  cluster  = egc.cluster.star { hosts = 4, bandwidth = "1Gbps", latency = "50us", device = "v100" },
  workers  = 4,
  method   = egc.each { "none", egc.topk { ratio = 0.05 }, "egc" },
  steps    = 20,
  eval_every = 10,
  layers   = true,
  seed     = egc.each { 1, 2, 3 },
}
