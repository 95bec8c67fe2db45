# SPDX-License-Identifier: GPL-3.0-or-later
cp -r "$DATA/small" dir
egc-sim plot dir --format pdf >paths 2>notes || exit
while read -r path; do
    head -c 5 "$path"
done <paths
echo
