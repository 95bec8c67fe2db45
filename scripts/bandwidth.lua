-- SPDX-License-Identifier: GPL-3.0-or-later
-- On which network does compression stop paying?
--
-- Replays recorded gradients, so nothing is trained and the sweep is quick. Record them first; 8 workers
-- replay a trace of 4 here, which `cycle = true` allows:
--
--   egc-sim trace record --out results/cnn-trace.h5 --workers 4 --steps 20
--   egc-sim run scripts/bandwidth.lua
--   egc-sim plot results/bandwidth
--
-- The figure "bandwidth" shows the time of a step against the bandwidth, one line a method: a method
-- pays where its line is below that of `none`.

local memory = { memory = "momentum", masking = true }

return egc.experiment {
  name     = "bandwidth",
  workload = egc.workload.trace { file = "results/cnn-trace.h5", cycle = true },
  cluster  = egc.cluster.star {
    hosts = 8, latency = "10us", device = "v100",
    bandwidth = egc.each { "100Mbps", "300Mbps", "1Gbps", "3Gbps", "10Gbps", "30Gbps", "100Gbps" },
  },
  workers  = 8,
  method   = egc.each {
    "none",
    egc.topk { ratio = 0.01, memory = memory.memory, masking = memory.masking },
    "dgc",
    "egc",
  },
  steps    = 20,
}
