-- SPDX-License-Identifier: GPL-3.0-or-later
-- Takes next to no time.
return egc.experiment {
  name     = "small",
  workload = egc.workload.train {
    model = "mlp", batch = 8, train_examples = 64, test_examples = 100,
  },
  cluster  = egc.cluster.star { hosts = 2, bandwidth = "1Gbps", latency = "50us", device = "v100" },
  workers  = 2,
  method   = egc.each { "none", egc.topk { ratio = 0.25 } },
  steps    = 3,
}
