-- SPDX-License-Identifier: GPL-3.0-or-later
-- The paper's claim on an image task: a thousandth of the bytes, and no accuracy lost?
--
-- A CNN on Fashion-MNIST, 4 and 8 workers, three seeds, 1 and 10 Gbps. Every sparsifier has the memory,
-- the correction and the codecs of egc, sends about as many bytes, and is set as scripts/tuning.lua
-- found best. Top-k is there three times: chosen among all that is sent together, as egc chooses;
-- layer by layer, as most code does; and as it is mostly quoted, 1 % of a layer in 32-bit values.
--
--   egc-sim run scripts/headline-image.lua --jobs 2                                  # 24 min on two cores
--   egc-sim run scripts/headline-image.lua --jobs 2 --set steps=60 --set seed=1      # a short look
--
-- Results are kept in results/reference/headline-image.
local headline = require "headline"
local like_egc = headline.like_egc

return egc.experiment {
  name    = "headline-image",
  egc.zip {
    workers  = { 4, 8 },
    workload = { headline.image(4), headline.image(8) },
  },
  cluster = headline.cluster(egc.each { "1Gbps", "10Gbps" }),
  method  = egc.each {
    "none",
    egc.topk { ratio = 0.01, memory = "momentum" },
    like_egc(egc.topk, { ratio = 0.0027, lr_scale = 0.5 }),
    like_egc(egc.topk, { ratio = 0.0027, granularity = "bucket" }),
    like_egc(egc.threshold, { tau = 0.6 }),
    like_egc(egc.dgc, { ratio = 0.0027, granularity = "bucket", dense_vectors = false }),
    like_egc(egc.adacomp, { bin = 250, lr_scale = 0.5 }),
    like_egc(egc.sidco, { ratio = 0.0027, granularity = "bucket" }),
    "egc",
  },
  steps      = headline.image_steps,
  eval_every = 500,
  seed       = egc.each { 1, 2, 3 },
}
