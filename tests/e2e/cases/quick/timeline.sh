# SPDX-License-Identifier: GPL-3.0-or-later
# Timelines hold what steps.csv says of the same steps, in the trace event format; they are the same
# bytes however the sweep is run; they keep to their limits; a full disk is one line.
timeline=$EXPERIMENTS/timeline.lua
holds() {
    ends 0 python3 "$SUITE/timeline.py" "$@"
}
same_timelines() {
    diff -r "$1/timeline" "$2/timeline" >&2 || fail "timelines of $1 and $2 differ"
    same_results "$1" "$2"
}

ends 0 egc-sim run "$timeline" --out all --timeline --jobs 2
holds all 4 3
ends 0 egc-sim run "$timeline" --out plain --quiet
same_results all plain
[ ! -e plain/timeline ] || fail "a timeline that nobody asked for"
ends 0 egc-sim run "$timeline" --out apart --timeline --no-share
same_timelines all apart

ends 0 egc-sim run "$timeline" --out some --timeline --shard 1/2
ends 0 egc-sim run "$timeline" --out others --timeline --shard 2/2
ends 0 egc-sim merge some others --out joined
same_timelines all joined
ends 0 egc-sim run "$timeline" --out some --timeline --resume
same_timelines all some

ends 0 egc-sim run "$timeline" --out short --timeline-steps 2 --timeline-workers 1
holds short 2 1
ends 0 egc-sim run "$timeline" --out lonely --timeline --set workers=1 # exchanges take no time
holds lonely 4 1
ends 0 egc-sim run "$timeline" --out sparse --timeline --set method=topk --set exchange=gtopk
holds sparse 4 3
ends 1 egc-sim run "$timeline" --out late --timeline --set max_sim_time=3ms
for file in late/timeline/*.json; do
    ends 0 python3 -m json.tool "$file"
done

ends 0 egc-sim run "$EXPERIMENTS/tracks.lua" --out tracks --timeline # the other algorithms
holds tracks 4 3
ends 0 egc-sim run "$EXPERIMENTS/tracks.lua" --out untold --quiet
same_results tracks untold

refuses 2 'run: --timeline-steps: must be a whole number in [1, 2147483647], got "0"' \
    egc-sim run "$timeline" --timeline-steps 0

[ "$(id -u)" -eq 0 ] || exit 0 # only root can mount a small disk
unshare -m true 2>/dev/null || exit 0
unshare -m sh -eu <<'END'
. "$SUITE/lib.sh"
mkdir -p disk
mount -t tmpfs -o size=100k none disk
ends 1 egc-sim run "$EXPERIMENTS/timeline.lua" --out disk/here --timeline
prints_nothing
sed -i 's|disk/here/[^ ]*: cannot|FILE: cannot|' "$SCRATCH/stderr"
says "FILE: cannot write: No space left on device"
END
