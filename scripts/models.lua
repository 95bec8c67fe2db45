-- SPDX-License-Identifier: GPL-3.0-or-later
-- What would compression bring to models that are too large to train on a desk?
--
-- Gradients of their size and layers are drawn from a distribution; times come from their FLOPs. What
-- is sent and how long a step takes is real for such gradients; accuracy is another question. A trace
-- of a real model is fitted by `egc-sim trace fit`, whose file takes the place of the table below.
--
--   egc-sim run scripts/models.lua
--   egc-sim run scripts/models.lua --set workload.model=resnet50 --set steps=1

return egc.experiment {
  name     = "models",
  workload = egc.workload.synthetic {
    model = egc.each { "resnet50", "lstm-ptb", "transformer-base" },
    distribution = "generalized-gaussian", shape = 0.6, scale = 1e-4,
    worker_correlation = 0.1,
  },
  cluster  = egc.cluster.star {
    hosts = 4, latency = "25us", device = "v100", bandwidth = egc.each { "1Gbps", "10Gbps" },
  },
  workers  = 4,
  method   = egc.each {
    "none",
    egc.topk { ratio = 0.001, memory = "momentum", masking = true },
    "dgc",
    "egc",
  },
  steps    = 3,
}
