# SPDX-License-Identifier: GPL-3.0-or-later
# Simulating stays quick when there is much to simulate: messages into one host take no longer each
# when they are many, and all figures are there. Bounds are wide: machines differ, and are busy.
LIMIT=300 ends 0 egc-sim bench simulator
cat "$SCRATCH/stdout"
[ "$(grep -c -E '^  (ring|doubling|incast|incast-window|actors|dense-step|topk-step) ' "$SCRATCH/stdout")" -eq 22 ] ||
    fail "22 figures wanted"

# figure NAME SETTING
figure() {
    awk -v wanted="$1 $2" '$1 " " $2 == wanted && $4 == "star" { print $5 }' "$SCRATCH/stdout"
}
holds() {
    awk "BEGIN { exit !($2) }" || fail "$1"
}
holds "a message round a ring must take less than 30 us" "$(figure ring 512) < 30"
holds "4,095 messages into one host must take no more than 4 times as long each as 255" \
    "$(figure incast-window 4096) < 4 * $(figure incast-window 256)"
holds "a window must help 4,095 messages" \
    "$(figure incast-window 4096) < $(figure incast 4096) / 2"
