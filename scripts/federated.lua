-- SPDX-License-Identifier: GPL-3.0-or-later
-- EGC-FL: what does compressing, up and down, do to federated averaging?
--
-- A CNN on Fashion-MNIST, 10 clients behind links of their own (20 Mbps down and 5 Mbps up in the median)
-- and a server on 1 Gbps. In each round half of the clients take five local steps. Their examples are
-- alike, or each has its own mixture of classes. The server sends its model, or what changed in it. egc chooses
-- one threshold for all layers, or one for each; top-k chooses about as many in each of these ways, and has
-- egc's codecs.
--
-- What a client does not send waits until it is sampled again: rounds must be many, against how seldom
-- an element is sent, before little is left waiting.
--
--   egc-sim run scripts/federated.lua --jobs 2                   # kept in results/reference/federated
--   egc-sim run scripts/federated.lua --jobs 2 --set steps=5 --set workload.test_examples=500   # a short look
local function topk(ratio, granularity)
  return egc.topk { ratio = ratio, granularity = granularity, memory = "residual", value = "sign_mean" }
end

return egc.experiment {
  name     = "federated",
  workload = egc.workload.train {
    model = "cnn", dataset = "fashion-mnist", batch = 16,
    lr = 0.02, momentum = 0.9, schedule = "cosine",
    split = egc.each { "iid", "dirichlet" },
  },
  cluster  = egc.cluster.wan {
    hosts = 10, bandwidth = "20Mbps", up = "5Mbps", latency = "20ms", spread = 0.3,
    server = "1Gbps", device = "edge",
  },
  workers   = 10,
  algorithm = egc.federated {
    participation = 0.5, local_steps = 5, downlink = egc.each { "dense", "compressed" },
  },
  method = egc.each {
    "none", topk(0.006, "bucket"), "egc", topk(0.01, "layer"), egc.egc { granularity = "layer" },
  },
  where = function(p)
    return p.method.name == "egc" or (p.method.name == "none") == (p.algorithm.downlink == "dense")
  end,
  steps      = 600,
  eval_every = 100,
  seed       = egc.each { 1, 2, 3 },
}
