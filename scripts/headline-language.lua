-- SPDX-License-Identifier: GPL-3.0-or-later
-- The paper's claim on a language task: a thousandth of the bytes, and no perplexity lost?
--
-- A word-level LSTM on the King James Bible, 4 and 8 workers, three seeds, 1 and 10 Gbps; methods and
-- settings as in headline-image.lua, tuned by the same script.
--
--   scripts/make_kjv_text.sh data/kjv && export EGC_DATA=data      # once
--   egc-sim run scripts/headline-language.lua --jobs 2                               # 30 min on two cores
--   egc-sim run scripts/headline-language.lua --jobs 2 --set steps=60 --set seed=1   # a short look
--
-- Results are kept in results/reference/headline-language.
local headline = require "headline"

local function like_egc(make, options)
  options.clip, options.lr_scale = headline.language_clip, options.lr_scale or 2
  return headline.like_egc(make, options)
end

return egc.experiment {
  name    = "headline-language",
  egc.zip {
    workers  = { 4, 8 },
    workload = { headline.language(4), headline.language(8) },
  },
  cluster = headline.cluster(egc.each { "1Gbps", "10Gbps" }),
  method  = egc.each {
    egc.none { clip = headline.language_clip },
    egc.topk { ratio = 0.01, memory = "momentum", clip = headline.language_clip, lr_scale = 2 },
    like_egc(egc.topk, { ratio = 0.0027 }),
    like_egc(egc.topk, { ratio = 0.0027, granularity = "bucket" }),
    like_egc(egc.threshold, { tau = 0.03 }),
    like_egc(egc.dgc, { ratio = 0.0027, granularity = "bucket", dense_vectors = false }),
    like_egc(egc.adacomp, { bin = 250, lr_scale = 1 }),
    like_egc(egc.sidco, { ratio = 0.0021, granularity = "bucket" }),
    egc.egc { clip = headline.language_clip, lr_scale = 2 },
  },
  steps      = headline.language_steps,
  eval_every = 250,
  seed       = egc.each { 1, 2, 3 },
}
