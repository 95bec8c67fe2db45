# SPDX-License-Identifier: GPL-3.0-or-later
mkdir dir
printf 'a,b\n1,2\n' >dir/runs.csv
egc-sim plot dir
