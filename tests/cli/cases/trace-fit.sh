# SPDX-License-Identifier: GPL-3.0-or-later
# A trace, its fit, and synthetic gradients from the fit. Figures depend on the CPU's arithmetic.
egc-sim trace record --out t.h5 --steps 5 --workers 3 --seed 9 --set model=cnn \
    --set train_examples=600 --set test_examples=10 || exit
egc-sim trace fit t.h5 -o fit.lua --pick weibull --all | awk '{ print $1 }'
head -n 6 fit.lua
sed -n 's/.* name = \("[^"]*", dims = "[^"]*", distribution = "[^"]*"\), scale = .*\(forward_flops.*\) }.*/\1 \2/p' fit.lua
cat >again.lua <<'EOF'
local fit = dofile("fit.lua")
fit.time_correlation = 0.5
return egc.experiment {
  name = "again",
  workload = egc.workload.synthetic(fit),
  cluster = egc.cluster.star { hosts = 2 },
  workers = 2, steps = 2, method = egc.topk { ratio = 0.01 },
}
EOF
egc-sim run again.lua --out out --quiet && cut -d, -f3-5,8,13,15,17 out/runs.csv
egc-sim trace fit t.h5 --out missing/fit.lua >/dev/null
