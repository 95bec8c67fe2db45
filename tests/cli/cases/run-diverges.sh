# SPDX-License-Identifier: GPL-3.0-or-later
# Training that leaves the finite numbers is said in the rows, and is no failure of the program.
sed 's/batch = 8/lr = 1e30, batch = 8/' "$DATA/tiny.lua" >wild.lua
egc-sim run wild.lua --out here --quiet >table 2>notes
echo $?
cut -d: -f1 notes
awk -F, '{print $5, $15}' here/runs.csv
