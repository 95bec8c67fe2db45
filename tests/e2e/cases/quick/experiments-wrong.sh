# SPDX-License-Identifier: GPL-3.0-or-later
# One mistake in an experiment that otherwise runs: refused with the line, the path and what would
# be valid.

# wrong SED_SCRIPT LINE: the small experiment, edited, is refused with this line.
wrong() {
    sed "$1" "$EXPERIMENTS/small.lua" >x.lua
    cmp -s "$EXPERIMENTS/small.lua" x.lua && fail "the edit changed nothing: $1"
    refuses 1 "x.lua:$2" egc-sim run x.lua
}
wrong 's/steps  /stepz /' '3: stepz: unknown key; valid: workers, sampled_workers, steps, eval_every, seed, bucket, first_bucket, group, fusion, cycle, overlap, cost, cost_table, cost_scale, compress_on, exchange_order, partition, network_model, max_sim_time, on_failure, failure_timeout, energy, layers, name, workload, cluster, method, algorithm, exchange, where'
wrong 's/batch = 8/bach = 8/' '5: workload.bach: unknown key; valid: model, dataset, path, batch, lr, momentum, weight_decay, schedule, lr_warmup, train_examples, test_examples, evaluate_on, ...'
wrong 's/hosts = 2/host = 2/' '8: cluster.host: unknown key; valid: bandwidth, latency, efficiency, cores, host_speeds, profiles, speed, ...'
wrong 's/ratio = /ration = /' '10: method.ration: unknown key "ration" for topk; valid: ratio, memory, ...'
wrong 's/"mlp"/"mpl"/' '5: workload.model: must be "cnn", "lstm", ...'
wrong 's/"v100"/"v101"/' '8: cluster.device: unknown device "v101"; valid: v100, a100, h100, cpu-core, edge'
wrong 's/1Gbps/1Gbpz/' '8: cluster.bandwidth: unknown unit "Gbpz" in "1Gbpz"; known units: bps, Kbps, Mbps, Gbps, Tbps, B/s, KB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s'
wrong 's/50us/-1us/' '8: cluster.latency: must be >= 0, got "-1us"'
wrong 's/= 0.25/= 0/' '10: method.ratio: must be in (0, 1], got 0'
wrong 's/workers  = 2/workers  = 3/' '3: workers: cluster star has 2 hosts, got 3 workers'
wrong 's/"none"/"nune"/' '10: method: unknown method "nune"; valid: none, topk, ...'
wrong 's/steps  /exchange = "rong", steps/' '3: exchange: unknown exchange "rong"; valid: ring, allgather-ring, ...'
wrong 's/steps  /exchange = "ring", steps/' '3: exchange: ring sums messages, which suits no round of method topk; use auto (here allgather-ring)'
