# SPDX-License-Identifier: GPL-3.0-or-later
# NaN and Inf in a gradient end the point and say where, or are treated as the method asks.
replay=$EXPERIMENTS/replay.lua
make-trace nonfinite trace.h5
for choice in none topk threshold maxentropy egc dgc; do
    place='head.weight: gradient has 1 NaN and 2 Inf among 40 elements'
    [ $choice = egc ] && place='body.weight..head.weight: gradient has 1 NaN and 2 Inf among 100 elements'
    point_fails "step 2: worker 1: $place" \
        egc-sim run "$replay" --set "method=$choice"
done

for choice in zero skip; do
    ends 0 egc-sim run "$replay" --out $choice --set method.nonfinite=$choice
    [ "$(column $choice/runs.csv status)" = ok ] || fail "$choice must let the run go on"
    [ "$(column $choice/steps.csv nonfinite | xargs)" = "0 0 3 0" ] ||
        fail "$choice must count the three values of step 2"
    grep -iE '(^|,)[-+]?(nan|inf)' $choice/*.csv && fail "NaN or Inf in the results of $choice"
done

# As a trace that has zeros there, but for the ids and the count.
make-trace zeroed trace.h5
ends 0 egc-sim run "$replay" --out zeroed
for folder in zero zeroed; do
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "nonfinite") at = i }
        { $1 = $at = ""; print }' $folder/steps.csv >$folder.steps
done
diff -u zeroed.steps zero.steps >&2 || fail "zero must be as if the values were 0"

# Half of the workers send nothing at that step.
column skip/steps.csv sent_bytes >sent
[ "$(sed -n 3p sent)" -lt "$(sed -n 2p sent)" ] || fail "skip must leave out worker 1 at step 2"
[ "$(sed -n 4p sent)" -eq "$(sed -n 2p sent)" ] || fail "skip must leave out one step only"
