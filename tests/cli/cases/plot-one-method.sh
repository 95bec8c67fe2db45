# SPDX-License-Identifier: GPL-3.0-or-later
# Only what the data has: no evaluations, one bandwidth.
mkdir dir
grep -e '^run_id' -e ',none,.*,1.25e+08,' "$DATA/small/runs.csv" >dir/runs.csv
egc-sim plot dir
