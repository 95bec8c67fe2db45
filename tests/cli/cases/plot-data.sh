# SPDX-License-Identifier: GPL-3.0-or-later
# The numbers that are drawn: means and ranges over seeds; the failed run is not among them.
cp -r "$DATA/small" dir
egc-sim plot dir --format png >paths 2>notes
cat dir/plots/ratio.csv dir/plots/accuracy-bytes.csv dir/plots/step-bandwidth.csv
cat dir/plots/breakdown-2.csv
grep 'set label 2' dir/plots/breakdown-2.gp
