-- SPDX-License-Identifier: GPL-3.0-or-later
-- Gossip: neighbours average with each other and nobody else. What do the graph and the compressor do to
-- accuracy, to how far the workers are apart, and to the bytes?
--
-- A CNN on Fashion-MNIST, 16 workers on a ring, on a torus of 4 x 4, and on the exponential graph. What is
-- not sent makes what neighbours know of each other old, so that compressed methods take smaller steps
-- towards it: gamma is, of 0.1, 0.2 and 0.4, what was best for each on a ring and the exponential graph, on
-- validation data and with another seed. Top-k has egc's codecs and chooses by bucket, as egc does.
--
--   egc-sim run scripts/gossip.lua --jobs 2                      # kept in results/reference/gossip
--   egc-sim run scripts/gossip.lua --jobs 2 --set steps=20 --set workload.test_examples=500      # a short look
local function gossip(gamma)
  return egc.gossip { graph = egc.each { "ring", "torus", "exponential" }, gamma = gamma }
end

return egc.experiment {
  name     = "gossip",
  workload = egc.workload.train {
    model = "cnn", dataset = "fashion-mnist", batch = 32, lr = 0.05, momentum = 0.9, schedule = "cosine",
  },
  cluster = egc.cluster.star { hosts = 16, bandwidth = "1Gbps", latency = "50us", device = "v100" },
  workers = 16,
  egc.zip {
    method = {
      "none", egc.topk { ratio = 0.005, granularity = "bucket", value = "sign_mean" }, "egc",
      egc.egc { granularity = "layer" },
    },
    algorithm = { gossip(1), gossip(0.4), gossip(0.2), gossip(0.2) },
  },
  steps      = 200,
  eval_every = 50,
  seed       = egc.each { 1, 2, 3 },
}
