# SPDX-License-Identifier: GPL-3.0-or-later
# The vector kernels give the bytes that the scalar ones give.
sweep=$EXPERIMENTS/sweep.lua
EGC_KERNELS=avx2 within_limit egc-sim version >"$SCRATCH/version" 2>&1 ||
    skip "$(cat "$SCRATCH/version")"
ends 0 egc-sim run "$sweep" --out default --jobs 2
for kernels in scalar avx2; do
    EGC_KERNELS=$kernels
    export EGC_KERNELS
    ends 0 egc-sim run "$sweep" --out "$kernels" --jobs 2
    grep -q "\"kernels\": \"$kernels\"" "$kernels/manifest.json" ||
        fail "the manifest names other kernels than $kernels"
    same_results default "$kernels"
done
