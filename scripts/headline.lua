-- SPDX-License-Identifier: GPL-3.0-or-later
-- What the headline experiments, their tuning and the ablation share: two tasks, the cluster, and
-- what every sparsifier gets. Not an experiment: these `require` it.
--
-- Both tasks are as large as a desk allows: two cores train every method with three seeds in less
-- than an hour. The global batch is the same for any number of workers, so that more of them spread
-- the same training, and what was tuned with 4 is used for 8.
local headline = {}

-- A CNN of 201,962 parameters on Fashion-MNIST: 3000 steps of 128 images, six epochs.
function headline.image(workers, evaluate_on)
  return egc.workload.train {
    model = "cnn", dataset = "fashion-mnist", batch = 128 // workers,
    lr = 0.1, lr_warmup = 300, momentum = 0.9, schedule = "cosine", evaluate_on = evaluate_on,
  }
end

-- An LSTM of 645,584 parameters on the first 60,000 words of the King James Bible: 2000 steps of 8
-- sequences of 35 words, nine epochs. Gradients are clipped, as is usual for it.
function headline.language(workers, evaluate_on)
  return egc.workload.train {
    model = "lstm", dataset = "kjv", vocabulary = 2000, train_examples = 60000, test_examples = 20000,
    batch = 8 // workers, dropout = 0.4,
    lr = 4, lr_warmup = 100, momentum = 0.9, schedule = "cosine", evaluate_on = evaluate_on,
  }
end

headline.image_steps, headline.image_clip = 3000, 0
headline.language_steps, headline.language_clip = 2000, 0.5

function headline.cluster(bandwidth)
  return egc.cluster.star { hosts = 8, bandwidth = bandwidth, latency = "50us", device = "v100" }
end

-- A sparsifier with EGC's memory, correction and codecs, so that methods differ in what they select
-- and in nothing else. Options say more, or otherwise.
function headline.like_egc(make, options)
  local all = { memory = "momentum", masking = true, lr_correction = true, value = "sign_mean" }
  for name, value in pairs(options) do all[name] = value end
  return make(all)
end

return headline
