# SPDX-License-Identifier: GPL-3.0-or-later
mkdir dir
head -1 "$DATA/small/runs.csv" >dir/runs.csv
egc-sim plot dir
