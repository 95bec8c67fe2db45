# SPDX-License-Identifier: GPL-3.0-or-later
# Drawings of clusters: a node for each host and switch, a line for each link.
count() { grep -c "$1" "$2"; }
for cluster in star fat_tree torus dragonfly racks hierarchical wan; do
    egc-sim plot --cluster $cluster
    echo "$(count 'class="node"' $cluster.svg) nodes, $(count 'class="edge"' $cluster.svg) links"
done
mkdir drawings
egc-sim plot --cluster torus --set 'dims={3,3}' --format pdf --out drawings
ls drawings
head -c 4 drawings/torus.pdf
echo
egc-sim plot --cluster star --set hosts=513
egc-sim plot --cluster ring
egc-sim plot --cluster star --format gif
egc-sim plot --cluster star dir
egc-sim plot dir --set hosts=3
egc-sim plot --cluster star --out nowhere
program=$(command -v egc-sim)
PATH=/nowhere "$program" plot --cluster star
