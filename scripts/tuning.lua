-- SPDX-License-Identifier: GPL-3.0-or-later
-- How the methods of the headline experiments were tuned: the same effort for each, on validation
-- data, with a seed that the headline does not use.
--
-- First short runs, of three learning rates times two settings of each method: layers or buckets for
-- those that aim at a ratio, two thresholds, two sizes of AdaComp's bins, two numbers of EGC's. All are
-- to send about a thousandth of the dense bytes. Then, where a quarter of the training is too little to
-- tell, for the language task: the learning rate once more, in full length, with the better setting.
--
-- Needs the King James text and EGC_DATA, as headline-language.lua says. On two cores the short runs take
-- 10 min 39 s, the long ones 5 min 43 s.
--
--   egc-sim run scripts/tuning.lua --jobs 2
--
-- Results are kept in results/reference/tuning.
local headline = require "headline"

-- Every candidate at every rate.
local function tune(name, task, steps, lr_scales, candidates)
  local methods = {}
  for _, candidate in ipairs(candidates) do
    for _, lr_scale in ipairs(lr_scales) do
      local make, options = candidate[1], { clip = headline[task .. "_clip"], lr_scale = lr_scale }
      for option, value in pairs(candidate[2]) do options[option] = value end
      local plain = make == egc.none or make == egc.egc
      methods[#methods + 1] = plain and make(options) or headline.like_egc(make, options)
    end
  end
  return egc.experiment {
    name = name, workload = headline[task](4, "validation"), cluster = headline.cluster("1Gbps"),
    workers = 4, method = egc.each(methods), steps = steps, seed = 11,
  }
end

local function settings(taus)
  return {
    { egc.none, {} },
    { egc.topk, { ratio = 0.0027 } },
    { egc.dgc, { ratio = 0.0027, dense_vectors = false } },
    { egc.sidco, { ratio = 0.0027 } },
    { egc.topk, { ratio = 0.0027, granularity = "bucket" } },
    { egc.dgc, { ratio = 0.0027, dense_vectors = false, granularity = "bucket" } },
    { egc.sidco, { ratio = 0.0027, granularity = "bucket" } },
    { egc.egc, { bins = 256 } },
    { egc.egc, { bins = 512 } },
    { egc.threshold, { tau = taus[1] } },
    { egc.threshold, { tau = taus[2] } },
    { egc.adacomp, { bin = 250 } },
    { egc.adacomp, { bin = 500 } },
  }
end

local better_settings = {
  { egc.none, {} },
  { egc.topk, { ratio = 0.0027, granularity = "bucket" } },
  { egc.dgc, { ratio = 0.0027, dense_vectors = false, granularity = "bucket" } },
  { egc.sidco, { ratio = 0.0021, granularity = "bucket" } },
  { egc.threshold, { tau = 0.03 } },
  { egc.adacomp, { bin = 250 } },
  { egc.egc, {} },
}

return {
  tune("tuning-image", "image", 750, { 0.5, 1, 2 }, settings { 0.3, 0.6 }),
  tune("tuning-language", "language", 750, { 0.5, 1, 2 }, settings { 0.025, 0.05 }),
  tune("tuning-language-rate", "language", headline.language_steps, { 1, 2 }, better_settings),
}
