# SPDX-License-Identifier: GPL-3.0-or-later
# A preset's own defaults, not those of its compressor.
egc-sim describe egc >page
sed -n 1p page
awk '$1 == "memory" {print $1, $2}' page
