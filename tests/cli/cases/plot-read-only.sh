# SPDX-License-Identifier: GPL-3.0-or-later
mkdir dir
cp "$DATA/small/runs.csv" dir
: >dir/plots
egc-sim plot dir
