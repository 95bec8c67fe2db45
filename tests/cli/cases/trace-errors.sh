# SPDX-License-Identifier: GPL-3.0-or-later
try() {
    egc-sim trace "$@" 2>&1
    echo "exit $?"
}
try
try fits x.h5
try info
try info missing.h5
echo text >text.h5
try info text.h5
try record
try record --out t.h5 --steps 0
try record --out t.h5 --set batch
try record --out t.h5 --set learning_rate=1
try record --out t.h5 --set batch=0
try record --out missing/t.h5 --set train_examples=200 --set test_examples=10
try fit
try fit missing.h5
try fit text.h5 --pick best
try fit a.h5 b.h5
try fit text.h5 -o
try info -o x text.h5
