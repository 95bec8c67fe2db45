-- SPDX-License-Identifier: GPL-3.0-or-later
-- EGC-PS: what does a parameter server make of compressed gradients, and of a worker that is slow?
--
-- A CNN on Fashion-MNIST, 8 workers and a server on 10 Gbps; one worker computes at an eighth of the
-- others' speed. sync waits for it, async does not, ssp lets the others be 3 steps ahead. All train on the
-- same number of gradients. Answers are the parameters, or compressed as well. Top-k is there as it is
-- mostly quoted, 1 % of a layer in 32-bit values; and with all that egc has but its choice: by bucket, as many
-- elements, its memory, correction and codecs.
--
-- There is no momentum. In async a gradient is applied some 7 updates after its parameters were pulled,
-- and that delay acts as momentum does (Mitliagkas et al. 2016, arXiv 1605.09774): with the usual 0.9
-- on top the dense run diverges. The learning rate is larger for that.
--
--   egc-sim run scripts/ps.lua --jobs 2                          # kept in results/reference/ps
--   egc-sim run scripts/ps.lua --jobs 2 --set steps=20 --set workload.test_examples=500      # a short look
local like_egc = require "headline".like_egc

return egc.experiment {
  name     = "ps",
  workload = egc.workload.train {
    model = "cnn", dataset = "fashion-mnist", batch = 32,
    lr = 0.2, momentum = 0, schedule = "cosine",
  },
  cluster   = egc.cluster.star {
    hosts = 9, bandwidth = "10Gbps", latency = "50us", device = "cpu-core",
    host_speeds = { 1, 1, 1, 1, 1, 1, 1, 1, 0.125 }, -- the server's, then the workers'
  },
  workers   = 8,
  method    = egc.each {
    "none",
    egc.topk { ratio = 0.01, memory = "momentum", masking = true },
    like_egc(egc.topk, { ratio = 0.001, granularity = "bucket" }),
    "egc",
  },
  algorithm = egc.each {
    egc.ps { mode = "sync" },
    egc.ps { mode = "ssp", bound = 3 },
    egc.ps { mode = "async" },
    egc.ps { mode = "sync", pull = "recompress" },
    egc.ps { mode = "async", pull = "recompress" },
  },
  where = function(p)
    return p.algorithm.pull ~= "recompress" or p.method.name == "egc" or p.method.granularity == "bucket"
  end,
  steps      = 400,
  eval_every = 100,
  seed       = egc.each { 1, 2, 3 },
}
