-- SPDX-License-Identifier: GPL-3.0-or-later
-- Training without a barrier for all: federated in its kinds, and gossip on its graphs.
return egc.experiment {
  name     = "gatherings",
  workload = egc.workload.train {
    model = "mlp", batch = 8, train_examples = 256, test_examples = 100, split = "dirichlet",
  },
  cluster   = egc.cluster.wan { hosts = 4, server = "1Gbps", spread = 0.5 },
  workers   = 4,
  algorithm = egc.each {
    egc.federated { participation = 0.5, local_steps = 3, downlink = egc.each { "dense", "compressed" } },
    egc.federated { participation = 0.5, over_selection = 1.5, deadline = "1s", momentum = "rounds" },
    egc.gossip { graph = egc.each { "ring", "torus", "exponential" }, gamma = 0.5 },
  },
  method     = egc.each { "none", "egc" },
  steps      = 4,
  eval_every = 2,
  layers     = true,
}
