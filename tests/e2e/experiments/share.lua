-- SPDX-License-Identifier: GPL-3.0-or-later
-- On four networks the same is learnt: by one round and several, gathered, summed on the way,
-- broadcast and scattered; and by one that diverges.
return egc.experiment {
  name     = "share",
  workload = egc.workload.train {
    model = "mlp", batch = 8, train_examples = 256, test_examples = 100,
  },
  cluster  = egc.cluster.star {
    hosts = 4, latency = "50us",
    bandwidth = egc.each { "100Mbps", "10Gbps" },
    device = egc.each { "v100", "edge" },
  },
  workers  = 3,
  method   = egc.each {
    "none", "fp16", egc.topk { ratio = 0.05 }, "powersgd", "cltk", "signum", "egc",
    egc.qsgd { lr_scale = 1e30 },
  },
  steps      = 6,
  eval_every = 2,
  layers     = true,
}
