# SPDX-License-Identifier: GPL-3.0-or-later
# The King James text is made of Debian's package, always the same, and a small model learns from it
# with the same results twice. A text that is not there says what is missing.
command -v bible >/dev/null || skip "the Debian packages bible-kjv and bible-kjv-text are not installed"
cat >x.lua <<'END'
return egc.experiment {
  workload = egc.workload.train {
    model = "lstm", dataset = "kjv", path = "kjv", batch = 2, lr = 1, dropout = 0.1,
    vocabulary = 500, width = 16, sequence = 10, test_examples = 2000,
  },
  cluster  = egc.cluster.star { hosts = 2, device = "v100" },
  workers  = 2, method = egc.topk { ratio = 0.1, memory = "residual", clip = 1 },
  steps = 60, eval_every = 20,
}
END
point_fails "kjv.train.txt is not in kjv: run scripts/make_kjv_text.sh FOLDER, which makes it from the Debian packages bible-kjv and bible-kjv-text, and set path to FOLDER" egc-sim run x.lua

ends 0 "$ROOT/scripts/make_kjv_text.sh" kjv
prints_nothing
cksum kjv/* >sums
diff -u - sums >&2 <<'END' || fail "another text than ever"
2300910156 195974 kjv/kjv.test.txt
219505257 3629089 kjv/kjv.train.txt
2512735373 191038 kjv/kjv.valid.txt
END

ends 0 egc-sim run x.lua --out one
ends 0 egc-sim run x.lua --out two
same_results one two
column one/evals.csv perplexity >perplexities
[ "$(wc -l <perplexities)" -eq 3 ] || fail "three evaluations"
awk '$1 >= last && NR > 1 || $1 > 250 { exit 1 } { last = $1 }' perplexities || {
    cat perplexities >&2
    fail "it does not learn"
}
