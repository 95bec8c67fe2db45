-- SPDX-License-Identifier: GPL-3.0-or-later
-- Streams and orders, for methods of one round and of
-- several, summed on the way, gathered, broadcast and scattered.
return egc.experiment {
  name     = "timeline",
  workload = egc.workload.train {
    model = "mlp", batch = 8, train_examples = 64, test_examples = 100,
  },
  cluster  = egc.cluster.star { hosts = 3, bandwidth = "1Gbps", latency = "50us", device = "v100" },
  workers  = 3,
  method   = egc.each { "none", egc.topk { ratio = 0.05 }, "powersgd", "cltk", "signum" },
  bucket   = "layer",
  partition   = "64KiB",
  egc.zip {
    exchange_order = egc.each { "fifo", "priority" },
    compress_on = egc.each { "compute", "stream" },
  },
  steps    = 4,
}
