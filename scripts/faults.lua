-- SPDX-License-Identifier: GPL-3.0-or-later
-- What uneven workers, the traffic of others and a network that fails do to the same training, with
-- egc and without compression, in time and in energy. What happens to links and hosts is told by the
-- cluster's `profiles`.
--
--   egc-sim run scripts/faults.lua --out results/faults      # some ten seconds
--
-- writes seven folders, one for each experiment. The last two lose a host: lost-host fails on purpose, so that
-- the command ends with 1, dropped-host goes on without it.
local function on(name, changes, on_failure)
  changes.hosts, changes.bandwidth, changes.latency, changes.device = 8, "1Gbps", "50us", "edge"
  return egc.experiment {
    name     = name,
    workload = egc.workload.train { model = "mlp", batch = 32, train_examples = 2560 },
    cluster  = egc.cluster.star(changes),
    workers  = 8,
    method   = egc.each { "none", "egc" },
    steps    = 40,
    energy   = true,
    on_failure = on_failure or "stop",
    failure_timeout = "100ms",
  }
end

return {
  on("even", {}),
  on("stragglers", { stragglers = 0.25, straggler_slowdown = 2 }),
  on("jitter", { jitter = 0.3 }),
  on("background", { background = 0.5 }),
  on("slow-link", { profiles = { { at = "10ms", link = "group-0_link_3_*", bandwidth = "100Mbps" } } }),
  on("lost-host", { profiles = { { at = "10ms", host = "host-3", state = "down" } } }),
  on("dropped-host", { profiles = { { at = "10ms", host = "host-3", state = "down" } } }, "drop"),
}
