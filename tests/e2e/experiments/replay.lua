-- SPDX-License-Identifier: GPL-3.0-or-later
-- Replays trace.h5 of the current folder; `make-trace` makes one of 2 workers and 4 steps.
return egc.experiment {
  name     = "replay",
  workload = egc.workload.trace { file = "trace.h5" },
  cluster  = egc.cluster.star { hosts = 8, bandwidth = "1Gbps", latency = "50us", device = "v100" },
  workers  = 2,
  method   = egc.topk { ratio = 0.25 },
  steps    = 4,
}
