-- SPDX-License-Identifier: GPL-3.0-or-later
-- The main job: what does each method send, and what does it do to accuracy and time?
--
-- A CNN on Fashion-MNIST, 8 workers on 1 Gbps. Every compressor gets the same memory (the
-- momentum-corrected residual with masking), the same learning rate and schedule, and the smallest
-- index code. Two top-k have egc's value codec and correction too, and send no fewer bytes than egc:
-- one chooses layer by layer, the other, as egc, among all layers of a bucket. That one and egc differ
-- in what they select, and in nothing else.
--
--   egc-sim run scripts/compare.lua --jobs 2                     # 1 min 34 s on two cores
--   egc-sim run scripts/compare.lua --jobs 2 --set steps=2000 --set 'seed=egc.each{1,2,3}'

local function topk(options)
  options.memory, options.masking = "momentum", true
  return egc.topk(options)
end

return egc.experiment {
  name     = "compare",
  workload = egc.workload.train {
    model = "cnn", dataset = "fashion-mnist", batch = 32,
    lr = 0.05, momentum = 0.9, schedule = "cosine",
  },
  cluster  = egc.cluster.star { hosts = 8, bandwidth = "1Gbps", latency = "50us", device = "v100" },
  workers  = 8,
  method   = egc.each {
    "none",
    topk { ratio = 0.01 },
    topk { ratio = 0.003, value = "sign_mean", lr_correction = true },
    topk { ratio = 0.003, value = "sign_mean", lr_correction = true, granularity = "bucket" },
    egc.threshold { tau = 0.05, memory = "momentum", masking = true },
    egc.dgc { warmup = 40 },
    "egc",
  },
  exchange   = "auto",
  steps      = 400,
  eval_every = 100,
  seed       = egc.each { 1, 2 },
}
