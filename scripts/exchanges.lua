-- SPDX-License-Identifier: GPL-3.0-or-later
-- Top-k over what gathers its messages and what sums them on the way: gTop-k keeps k elements after
-- every sum, SparCML keeps all and may switch to dense, Ok-Topk keeps what is above a threshold.
-- What is dropped goes back to the residuals. Dense training beside them.
--
--   egc-sim run scripts/exchanges.lua
--   egc-sim run scripts/exchanges.lua --set workers=32 --set cluster.bandwidth=10Gbps
--   egc-sim plot results/exchanges

return egc.experiment {
  name     = "exchanges",
  workload = egc.workload.train {
    model = "mlp", dataset = "fashion-mnist", batch = 32, lr = 0.05, momentum = 0.9, schedule = "cosine",
  },
  cluster  = egc.cluster.star { hosts = 32, bandwidth = "1Gbps", latency = "50us", device = "v100" },
  workers  = 16,
  method   = egc.each { "none", egc.topk { ratio = 0.01 } },
  exchange = egc.each { "auto", "gtopk", "sparcml", "sparcml-split", "ok-topk" },
  where    = function(p) return p.method.name == "topk" or p.exchange == "auto" end,
  steps    = 300,
  seed     = 1,
}
