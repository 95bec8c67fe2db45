-- SPDX-License-Identifier: GPL-3.0-or-later
-- The main job: what does each method cost, and what does it do to accuracy?
--
-- A CNN on Fashion-MNIST, 8 workers on 1 Gbps. Every sparsifier gets the same memory
-- (momentum-corrected residual with masking) and the same index codecs; top-k is there at several
-- ratios, and once with egc's own value codec and correction, so that it can be held against egc at
-- equal bytes. The learning rate and its schedule are the same for all.
--
--   egc-sim run scripts/compare.lua
--   egc-sim run scripts/compare.lua --set steps=2000 --set 'seed=egc.each{1,2,3}'

local dgc_memory = { memory = "momentum", masking = true }

local function with_dgc_memory(options)
  for key, value in pairs(dgc_memory) do options[key] = value end
  return options
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
    egc.topk(with_dgc_memory { ratio = 0.01 }),
    egc.topk(with_dgc_memory { ratio = 0.002, value = "sign_mean", lr_correction = true }),
    egc.threshold(with_dgc_memory { tau = 0.05 }),
    "dgc",
    "egc",
  },
  exchange   = "auto",
  steps      = 400,
  eval_every = 100,
  seed       = egc.each { 1, 2 },
}
