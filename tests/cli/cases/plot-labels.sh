# SPDX-License-Identifier: GPL-3.0-or-later
# What stands in a CSV file is text for gnuplot, whatever it looks like.
mkdir dir
sed "s/,topk,ratio=0.01,/,\"it's\",\"\`touch evil\`;b=\"\"x,\"\"\",/" "$DATA/small/runs.csv" >dir/runs.csv
egc-sim plot dir >paths 2>notes || cat notes
ls dir/plots | grep -c evil
grep -o "'it.*\"' 1" dir/plots/ratio.gp
tail -2 dir/plots/ratio.csv
