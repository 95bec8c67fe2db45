-- SPDX-License-Identifier: GPL-3.0-or-later
return egc.experiment {
  name     = "tiny",
  workload = egc.workload.train {
    model = "mlp", dataset = "fashion-mnist", batch = 8, train_examples = 64, test_examples = 100,
  },
  cluster  = egc.cluster.star { hosts = 2, bandwidth = "1Gbps", latency = "50us", device = "v100" },
  workers  = 2,
  method   = egc.each { "none", egc.topk { ratio = 0.25 } },
  steps    = 3,
}
