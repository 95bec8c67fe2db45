# SPDX-License-Identifier: GPL-3.0-or-later
# Hosts, links, bisection bandwidth and diameter of every cluster's defaults.
for cluster in star fat_tree torus dragonfly racks hierarchical wan platform; do
    egc-sim describe "$cluster" | sed '/^$/,$d; /^  reference/d'
done
