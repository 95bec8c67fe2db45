# SPDX-License-Identifier: GPL-3.0-or-later
egc-sim describe topk >page
sed -n 1p page
# The facts, and the table of its one parameter.
sed -n 's/^  \(formula\|reference\|traits\|cost\)  .*/\1/p' page
sed -n '/^  parameters:/,/^$/p' page
sed -n '/^  options of every method:/,$p' page | awk 'NR > 2 && $1 == "memory" {print $1, $2}'
