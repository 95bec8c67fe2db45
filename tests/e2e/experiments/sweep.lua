-- SPDX-License-Identifier: GPL-3.0-or-later
-- Both networks, every kind of method, several axes, every file: what must come out the same again.
return egc.experiment {
  name     = "sweep",
  workload = egc.workload.train {
    model = egc.each { "mlp", "cnn" },
    batch = 8, train_examples = 256, test_examples = 100,
  },
  cluster  = egc.cluster.star { hosts = 4, bandwidth = "1Gbps", latency = "50us", device = "v100" },
  workers  = 3,
  method   = egc.each {
    "none",
    egc.topk { ratio = 0.05, index = "auto", value = "fp16" },
    egc.threshold { tau = 0.001, memory = "residual", granularity = "bucket" },
    "dgc",
    egc.egc { stages = 2 },
  },
  steps      = 4,
  eval_every = 2,
  layers     = true,
  seed       = egc.each { 1, 2 },
}
