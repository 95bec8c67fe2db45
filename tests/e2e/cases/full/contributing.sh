# SPDX-License-Identifier: GPL-3.0-or-later
# CONTRIBUTING.md shows how to add a compressor and an exchange: its steps, followed to the letter in a
# copy of the tree, give ones that build, are held to the tests of their kind, and can be used.
command -v git >/dev/null || skip "git is not there to copy the tree with"
git -C "$ROOT" ls-files >files 2>/dev/null || skip "$ROOT is not a git checkout"
mkdir tree
tar -C "$ROOT" -cf - -T files 2>/dev/null | tar -C tree -xf -
cd tree || exit

# The file that the page shows under this name.
shown() {
    awk -v mark="<!-- file: $1 -->" '
        index($0, mark)                { found = 1; next }
        found && /^ *```c$/            { inside = 1; next }
        inside && /^ *```$/            { exit }
        inside                         { sub(/^   /, ""); print }' CONTRIBUTING.md >"$1"
    grep -q "$2" "$1" || fail "CONTRIBUTING.md shows no $1"
}
shown compressors/sparsifiers/everynth.c egc_compressor_everynth
shown sim/exchange/dense/linear.c egc_exchange_linear
echo 'EGC_COMPRESSOR(everynth)' >>compressors/core/list.def
echo 'EGC_EXCHANGE(linear)' >>sim/exchange/list.def

LIMIT=60 ends 0 cmake -S . -B build -G Ninja -DCMAKE_C_FLAGS=-O1
LIMIT=280 ends 0 cmake --build build --target egc-sim conformance_sparsifiers conformance_methods \
    net_exchange_data net_closed_forms
ends 0 build/tests/conformance/conformance_sparsifiers
LIMIT=60 ends 0 build/tests/net/net_exchange_data
LIMIT=60 ends 0 build/tests/net/net_closed_forms
ends 0 build/sim/cli/egc-sim describe everynth
grep -q 'one element in so many is sent' "$SCRATCH/stdout" || fail "describe does not show its parameter"
cat >use.lua <<'END'
return egc.experiment {
  name = "use", workers = 2, steps = 3, method = egc.everynth { period = 10 },
  workload = egc.workload.train { model = "mlp", train_examples = 200, test_examples = 100 },
  cluster = egc.cluster.star { hosts = 2 },
}
END
ends 0 build/sim/cli/egc-sim run use.lua --out out
grep -q 'everynth' out/runs.csv || fail "no run in runs.csv"
sed 's/egc.everynth { period = 10 }/"none", exchange = "linear"/' use.lua >sum.lua
ends 0 build/sim/cli/egc-sim run sum.lua --out summed
grep -q 'linear' summed/runs.csv || fail "no run with the exchange in runs.csv"
