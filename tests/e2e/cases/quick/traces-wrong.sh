# SPDX-License-Identifier: GPL-3.0-or-later
# A trace that cannot be replayed fails its point with a reason, whatever is wrong with the file.
replay=$EXPERIMENTS/replay.lua
wrong() {
    point_fails "$1" egc-sim run "$replay"
}
wrong 'trace.h5: cannot open: No such file or directory'
mkdir trace.h5
wrong 'trace.h5: not a regular file'
rmdir trace.h5
: >trace.h5
wrong 'trace.h5: not an HDF5 file'
echo 'step,worker,gradient' >trace.h5
wrong 'trace.h5: not an HDF5 file'

make-trace layers trace.h5
wrong 'trace.h5: layers hold 100 parameters in all, gradients have 99'

make-trace good trace.h5
ends 0 egc-sim run "$replay" --out good
point_fails 'trace.h5: holds 2 workers, 3 were asked for (cycle = true repeats them)' \
    egc-sim run "$replay" --set workers=3
point_fails 'trace.h5: holds 4 steps, 5 were asked for (cycle = true repeats them)' \
    egc-sim run "$replay" --set steps=5
ends 0 egc-sim run "$replay" --out cycled --set workers=3 --set steps=5 --set workload.cycle=true
[ "$(column cycled/runs.csv status)" = ok ] || fail "cycle = true must repeat the trace"

size=$(wc -c <trace.h5)
mv trace.h5 whole.h5
for length in 8 100 3000 $((size - 1)); do
    head -c "$length" whole.h5 >trace.h5
    [ "$length" -gt 48 ] && expected=$size || expected=48 # where its head says how long it is
    wrong "trace.h5: truncated: $length of $expected bytes are there"
done
