# SPDX-License-Identifier: GPL-3.0-or-later
# What is measured, without the times: every compressor, codec and inner loop has them.
egc-sim bench compressors --method topk --method topk:ratio=0.1,memory=none --elements 1000 \
    --csv one.csv | sed '3,$s/ [0-9][0-9.e-]* .*/ .../'
sed -n 1p one.csv
cut -d, -f1-8 one.csv | sed 1d
echo

egc-sim bench compressors --elements 100 |
    awk 'NR > 2 && $2 == 100 && $3 > 0 && $4 > 0 { print $1 }' | sort >measured
egc-sim list compressors | awk 'NF > 1 { print $1 }' | sort | diff - measured
EGC_KERNELS=scalar egc-sim bench kernels --csv kernels.csv | sed 's/  *[0-9][0-9.]* / ... /'
egc-sim bench codecs --csv codecs.csv |
    awk '$NF == "ns/element" && $(NF - 1) > 0 { print $1, $3 }' | sort | uniq -c
awk -F, 'NF < 13' kernels.csv codecs.csv
