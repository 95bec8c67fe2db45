-- SPDX-License-Identifier: GPL-3.0-or-later
-- How the methods of the headline experiments were tuned: the same effort for each, on validation
-- data, with a seed that the headline does not use.
--
-- Each method gets three learning rates times two settings of its own: layers or buckets for those that
-- aim at a ratio, two thresholds, two sizes of AdaComp's bins, two numbers of EGC's. All are to send
-- about a thousandth of the dense bytes. Dense SGD gets the three rates.
--
--   egc-sim run scripts/tuning.lua --jobs 2
local headline = require "headline"

local lr_scales = { 0.5, 1, 2 }

local function tune(name, workload, steps, clip, taus)
  local methods = {}
  local function try(make, options)
    for _, lr_scale in ipairs(lr_scales) do
      local all = { clip = clip, lr_scale = lr_scale }
      for key, value in pairs(options) do all[key] = value end
      methods[#methods + 1] = make(all)
    end
  end
  local function try_like_egc(make, options)
    try(function(all) return headline.like_egc(make, all) end, options)
  end

  try(egc.none, {})
  for _, granularity in ipairs { "layer", "bucket" } do
    try_like_egc(egc.topk, { ratio = 0.0027, granularity = granularity })
    try_like_egc(egc.dgc, { ratio = 0.0027, granularity = granularity, dense_vectors = false })
    try_like_egc(egc.sidco, { ratio = 0.0027, granularity = granularity })
  end
  for _, bins in ipairs { 256, 512 } do try(egc.egc, { bins = bins }) end
  for _, tau in ipairs(taus) do try_like_egc(egc.threshold, { tau = tau }) end
  for _, bin in ipairs { 250, 500 } do try_like_egc(egc.adacomp, { bin = bin }) end

  return egc.experiment {
    name = name, workload = workload, cluster = headline.cluster("1Gbps"), workers = 4,
    method = egc.each(methods), steps = steps, seed = 11,
  }
end

return {
  tune("tuning-image", headline.image(4, "validation"), 750, headline.image_clip, { 0.3, 0.6 }),
  tune("tuning-language", headline.language(4, "validation"), 750, headline.language_clip, { 0.025, 0.05 }),
}
