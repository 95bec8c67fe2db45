-- SPDX-License-Identifier: GPL-3.0-or-later
-- Every compressor there is, each as its paper has it, on one network: what does it send, what does
-- it learn, how long does a step take? A first look, not a comparison to publish: nothing is tuned
-- but what each method cannot do without. Methods that send signs alone step by the learning rate
-- itself and get a hundredth of it, in an experiment of their own with a dense run beside them.
--
--   egc-sim run scripts/methods.lua
--   egc-sim run scripts/methods.lua --set steps=2000 --set workload.model=cnn

local function experiment(name, lr, methods)
  return egc.experiment {
    name     = name,
    workload = egc.workload.train {
      model = "mlp", dataset = "fashion-mnist", batch = 32, lr = lr, momentum = 0.9, schedule = "cosine",
    },
    cluster  = egc.cluster.star { hosts = 4, bandwidth = "1Gbps", latency = "50us", device = "v100" },
    workers  = 4,
    method   = egc.each(methods),
    steps    = 300,
    seed     = 1,
  }
end

return {
  experiment("methods", 0.05, {
    "none",
    -- sparsifiers, with the codecs that are theirs or the smallest
    "topk", "randomk", egc.randomk { scale = true, memory = "none", ratio = 0.25 },
    egc.threshold { tau = 0.05 }, egc.strom { tau = 0.02 }, egc.dgc { warmup = 50 },
    "gaussiank", "redsync", egc.redsync { quantize = true, value = "mean" },
    "sidco", egc.sidco { distribution = "gp" }, "adacomp", "dryden",
    "cltk", egc.deft { granularity = "layer" }, egc.sketch { ratio = 0.02, columns = 8000 },
    -- EGC, and its other readings
    "egc", egc.egc { lr_correction = "element" }, egc.egc { rule = "budget", ratio = 0.002 },
    -- quantisers
    "fp16", "bf16", "int8", "qsgd", egc.qsgd { levels = 7, code = "elias" }, "terngrad", "natural",
    "onebit", egc.twobit { tau = 0.02 }, "efsign", "inceptionn",
    -- low rank
    "powersgd",
    -- memories and codecs are everybody's
    egc.topk { memory = "ef21" }, egc.topk { memory = "lowpass" },
    egc.topk { value = "q4", entropy = "range" }, egc.topk { index = "bloom", bloom_policy = "conflicts" },
  }),
  experiment("methods-signs", 0.0005, {
    "none", egc.signsgd { tie = "zero" }, egc.signum { tie = "zero" }, egc.signsgd { vote = false },
  }),
}
