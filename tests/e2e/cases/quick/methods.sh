# SPDX-License-Identifier: GPL-3.0-or-later
# Every compressor can be written in Lua and trains a network: scripts/methods.lua, cut short. It
# names every one there is.
ends 0 egc-sim run "$ROOT/scripts/methods.lua" --out out --quiet \
    --set steps=2 --set workload.train_examples=400 --set workload.test_examples=100
for name in methods methods-signs; do
    [ -s "out/$name/runs.csv" ] || fail "no runs.csv of $name"
done
cat out/*/runs.csv >all
grep -q ',failed,' all && fail "a method failed"
egc-sim list compressors | awk 'NF > 1 { print $1 }' >names
[ "$(wc -l <names)" -ge 28 ] || fail "egc-sim list compressors names too few"
while read -r name; do
    [ "$name" = maxentropy ] && name=egc # its preset
    grep -q ",$name," all || fail "scripts/methods.lua leaves out $name"
done <names
