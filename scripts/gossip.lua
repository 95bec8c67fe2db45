-- SPDX-License-Identifier: GPL-3.0-or-later
-- Gossip: neighbours average with each other and nobody else. What do the graph and the compressor do to
-- accuracy, to how far the workers are apart, and to the bytes?
--
-- A CNN on Fashion-MNIST, 16 workers on a ring, on a torus of 4 x 4, and on the exponential graph. What is
-- not sent makes what neighbours know of each other old, so that compressed methods take smaller steps
-- towards it (gamma).
--
--   egc-sim run scripts/gossip.lua --jobs 2
--   egc-sim run scripts/gossip.lua --jobs 2 --set steps=20 --set workload.test_examples=500      # a short look

return egc.experiment {
  name     = "gossip",
  workload = egc.workload.train {
    model = "cnn", dataset = "fashion-mnist", batch = 32, lr = 0.05, momentum = 0.9, schedule = "cosine",
  },
  cluster = egc.cluster.star { hosts = 16, bandwidth = "1Gbps", latency = "50us", device = "v100" },
  workers = 16,
  egc.zip {
    method    = { "none", egc.topk { ratio = 0.01 }, "egc" },
    algorithm = {
      egc.gossip { graph = egc.each { "ring", "torus", "exponential" } },
      egc.gossip { graph = egc.each { "ring", "torus", "exponential" }, gamma = 0.2 },
      egc.gossip { graph = egc.each { "ring", "torus", "exponential" }, gamma = 0.2 },
    },
  },
  steps      = 200,
  eval_every = 50,
}
