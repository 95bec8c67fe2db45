# SPDX-License-Identifier: GPL-3.0-or-later
mkdir dir
cp "$DATA/small/runs.csv" dir
echo 1,2,3 >>dir/runs.csv
egc-sim plot dir
