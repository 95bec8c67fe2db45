# SPDX-License-Identifier: GPL-3.0-or-later
# A disk that fills up during a run: one line says so, only complete rows are there, and --resume
# goes on once there is room.
[ "$(id -u)" -eq 0 ] || skip "only root can mount a small disk"
unshare -m true 2>"$SCRATCH/log" || skip "no private mounts here: $(cat "$SCRATCH/log")"
slow=$EXPERIMENTS/slow.lua
ends 0 egc-sim run "$slow" --out whole --jobs 2

# Other processes do not see the disk, and it goes with the last that does.
with_a_disk_of() {
    DISK_SIZE=$1 unshare -m sh -eu <<'END'
. "$SUITE/lib.sh"
mkdir -p disk
mount -t tmpfs -o "size=$DISK_SIZE" none disk
ends 1 egc-sim run "$EXPERIMENTS/slow.lua" --out disk/here
prints_nothing
sed -i 's|disk/here/[^ ]*: cannot|FILE: cannot|' "$SCRATCH/stderr"
says "FILE: cannot write: No space left on device"
complete_rows disk/here whole
rows disk/here/runs.csv >"$SCRATCH/rows"

mount -o remount,size=4m disk
ends 0 egc-sim run "$EXPERIMENTS/slow.lua" --out disk/here --resume --jobs 2
same_results disk/here whole
END
}
with_a_disk_of 12k
[ "$(cat "$SCRATCH/rows")" -eq 0 ] || fail "12 KiB must not be enough for a point"
with_a_disk_of 72k
with_a_disk_of 140k
[ "$(cat "$SCRATCH/rows")" -ge 1 ] || fail "140 KiB must be enough for a point"
