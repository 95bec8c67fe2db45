-- SPDX-License-Identifier: GPL-3.0-or-later
-- Algorithms with servers, or without a common exchange, whose timelines have tracks of their own.
return egc.experiment {
  name     = "tracks",
  workload = egc.workload.train {
    model = "mlp", batch = 8, train_examples = 64, test_examples = 100,
  },
  cluster  = egc.cluster.star { hosts = 5, bandwidth = "1Gbps", latency = "50us", device = "v100" },
  workers  = 3,
  method   = egc.each { "none", egc.topk { ratio = 0.05 } },
  bucket   = "layer",
  egc.zip {
    algorithm = {
      egc.ps { mode = "async", servers = 2 },
      egc.ps { mode = "sync", pull = "recompress", window = 1 },
      egc.ps { mode = "ssp", bound = 1, servers = 2, pull = "recompress" },
      egc.federated { local_steps = 2 },
      egc.federated { local_steps = 1, downlink = "compressed" },
      egc.gossip { gamma = 0.2 },
    },
    compress_on = { "compute", "stream", "stream", "compute", "compute", "compute" },
  },
  steps    = 4,
}
