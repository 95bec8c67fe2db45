# SPDX-License-Identifier: GPL-3.0-or-later
# A data set that is not there, or damaged, fails its point with a reason.
data=/usr/share/datasets/fashion-mnist
[ -e $data ] || skip "the Debian package dataset-fashion-mnist is not installed"
cat >x.lua <<'END'
return egc.experiment {
  workload = egc.workload.train { model = "mlp", path = "data", batch = 8 },
  cluster  = egc.cluster.star { hosts = 2, device = "v100" },
  workers  = 2, method = "none", steps = 1,
}
END
images=train-images-idx3-ubyte.gz
labels=t10k-labels-idx1-ubyte.gz
damaged="data/$labels: damaged or not of the data set fashion-mnist"
wrong() {
    point_fails "$1" egc-sim run x.lua
}
remedy='install the Debian package dataset-fashion-mnist, or set path to a folder with the four .gz files of the data set'
wrong "$images is not in data: $remedy"

mkdir data
ln -s $data/*.gz data
ends 0 egc-sim run x.lua --out whole
rm data/$labels # a link to the sound one
wrong "$labels is not in data: $remedy"
: >data/$labels
wrong "$damaged: ends after 0 of 8 bytes of header"
echo 'not an IDX file' | gzip >data/$labels
wrong "$damaged: starts with 0x6e6f7420, want 0x00000801"
gzip -dc $data/$labels >plain

# Half of it, one example less, one byte more, and three bytes overwritten.
head -c 1000 $data/$labels >data/$labels
wrong "$damaged: ends after 1801 of 10000 bytes of labels"
head -c 10007 plain | gzip >data/$labels
wrong "$damaged: ends after 9999 of 10000 bytes of labels"
{ cat plain; echo; } | gzip >data/$labels
wrong "$damaged: holds more bytes than its header says"
{ head -c 3000 $data/$labels; printf '\377\377\377'; tail -c +3004 $data/$labels; } >data/$labels
wrong "$damaged: broken gzip data or wrong checksum"
