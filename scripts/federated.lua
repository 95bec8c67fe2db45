-- SPDX-License-Identifier: GPL-3.0-or-later
-- EGC-FL: what does compressing, up and down, do to federated averaging?
--
-- A CNN on Fashion-MNIST, 20 clients behind links of their own (20 Mbps down and 5 Mbps up in the median)
-- and a server on 1 Gbps. In each round half of the clients take ten local steps. Their examples are
-- alike, or each has its own mixture of classes. The server sends its model, or what changed in it.
--
--   egc-sim run scripts/federated.lua --jobs 2
--   egc-sim run scripts/federated.lua --jobs 2 --set steps=5 --set workload.test_examples=500   # a short look

return egc.experiment {
  name     = "federated",
  workload = egc.workload.train {
    model = "cnn", dataset = "fashion-mnist", batch = 32,
    lr = 0.05, momentum = 0.9, schedule = "cosine",
    split = egc.each { "iid", "dirichlet" },
  },
  cluster  = egc.cluster.wan {
    hosts = 20, bandwidth = "20Mbps", up = "5Mbps", latency = "20ms", spread = 0.3,
    server = "1Gbps", device = "edge",
  },
  workers   = 20,
  algorithm = egc.federated {
    participation = 0.5, local_steps = 10, downlink = egc.each { "dense", "compressed" },
  },
  method = egc.each {
    "none",
    egc.topk { ratio = 0.01, memory = "residual" },
    "egc",
  },
  steps      = 50,
  eval_every = 10,
}
