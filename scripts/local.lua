-- SPDX-License-Identifier: GPL-3.0-or-later
-- Local SGD: workers take several steps on their own between two exchanges. What do fewer exchanges cost in
-- accuracy, and what does compression save on top of them?
--
-- A CNN on Fashion-MNIST, 8 workers, 320 gradients each whatever the number of local steps. One local step is the
-- synchronous algorithm.
--
--   egc-sim run scripts/local.lua --jobs 2
--   egc-sim run scripts/local.lua --jobs 2 --set steps=8 --set workload.test_examples=500      # a short look
return egc.experiment {
  name     = "local",
  workload = egc.workload.train {
    model = "cnn", dataset = "fashion-mnist", batch = 32, lr = 0.05, momentum = 0.9, schedule = "cosine",
  },
  cluster = egc.cluster.star { hosts = 8, bandwidth = "1Gbps", latency = "50us", device = "v100" },
  workers = 8,
  method  = egc.each { "none", egc.topk { ratio = 0.01 }, egc.powersgd { rank = 2 }, "egc" },
  egc.zip {
    algorithm = { egc.local_sgd { local_steps = 1 }, egc.local_sgd { local_steps = 4 },
                  egc.local_sgd { local_steps = 16 } },
    steps     = { 320, 80, 20 },
  },
}
