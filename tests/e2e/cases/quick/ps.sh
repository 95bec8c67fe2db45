# SPDX-License-Identifier: GPL-3.0-or-later
# The parameter server from Lua: every mode trains, runs repeat to the byte, and what cannot be is
# said in one line.
cat >ps.lua <<'LUA'
return egc.experiment {
  name      = "ps",
  workload  = egc.workload.train { model = "mlp", dataset = "shapes32", train_examples = 200, test_examples = 100, batch = 4 },
  cluster   = egc.cluster.star { hosts = 6 },
  workers   = 3,
  method    = egc.each { "none", "egc" },
  algorithm = egc.each { egc.ps {}, egc.ps { mode = "async", servers = 2 }, egc.ps { mode = "ssp", bound = 1, pull = "recompress" },
                         egc.ps { colocated = true, servers = 2, window = 2 } },
  bucket    = "layer",
  steps     = 3,
}
LUA
ends 0 egc-sim run ps.lua --out one --quiet
ends 0 egc-sim run ps.lua --out two --quiet --jobs 2
for file in runs.csv steps.csv evals.csv; do
    cmp "one/$file" "two/$file" || fail "$file of two runs differs"
done
[ "$(grep -c ',ok,' one/runs.csv)" -eq 8 ] || fail "not all points are ok"
grep -q 'ps bound=1;mode=ssp;pull=recompress\|ps mode=ssp;bound=1;pull=recompress' one/runs.csv ||
    fail "runs.csv does not say which server"

ends 1 egc-sim run ps.lua --out three --set algorithm.servers=7
grep -qx 'egc-sim: ps.lua:1: workers: cluster star has 6 hosts, got 3 workers and 7 servers' "$SCRATCH/stderr" ||
    fail "servers on hosts that are not there"
