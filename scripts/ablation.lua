-- SPDX-License-Identifier: GPL-3.0-or-later
-- What does each part of EGC do? egc with one part switched off at a time, and with other readings of
-- it, on the tasks of the headline experiments at a third of their length: three seeds on images, one on
-- language.
--
-- Needs the King James text and EGC_DATA, as headline-language.lua says. On two cores it takes 12 min 20 s, and
-- the last three methods, for the curve, 2 min more.
--
--   egc-sim run scripts/ablation.lua --jobs 2
--   egc-sim run scripts/ablation.lua --jobs 2 --set steps=60 --set seed=1      # a short look
--
-- Results are kept in results/reference/ablation.
local headline = require "headline"

local function ablation(task, lr_scale, seeds)
  local clip = headline[task .. "_clip"]
  local function egc_with(options)
    options.clip, options.lr_scale = clip, lr_scale
    return egc.egc(options)
  end
  local function topk(ratio)
    return headline.like_egc(egc.topk, {
      ratio = ratio, granularity = "bucket", clip = clip, lr_scale = lr_scale,
    })
  end
  return egc.experiment {
    name     = "ablation-" .. task,
    workload = headline[task](4), cluster = headline.cluster("1Gbps"), workers = 4,
    method   = egc.each {
      egc_with {},
      -- each part off: the entropy rule (a fixed share of as many bytes instead), the correction, the
      -- residual, the momentum correction (a plain residual, momentum in the optimiser), masking, and
      -- coding: of values, and of positions too
      topk(0.0027),
      egc_with { lr_correction = false },
      egc_with { memory = "none", lr_correction = false },
      egc_with { memory = "residual", lr_correction = false },
      egc_with { masking = false, lr_correction = false },
      egc_with { value = "fp32" },
      egc_with { value = "fp32", index = "raw32" },
      -- other readings
      egc_with { stages = 2 },
      egc_with { stages = 4 },
      egc_with { bins = 256 },
      egc_with { granularity = "layer", bins = 256 },
      egc_with { granularity = "layer", bins = 256, stages = 4 },
      egc_with { rule = "share", share = 0.01 },
      egc_with { rule = "budget", ratio = 0.0027 },
      egc_with { value = "q4", lr_correction = "element" },
      egc_with { residual_lr = "rescale" },
      egc_with { entropy = "range" },
      -- the curve that 2 and 4 stages and 256 bins are to be held against
      topk(0.0054),
      topk(0.0018),
      topk(0.0013),
    },
    steps = headline[task .. "_steps"] // 3,
    seed  = egc.each(seeds),
  }
end

return { ablation("image", 1, { 1, 2, 3 }), ablation("language", 2, { 1 }) }
