# SPDX-License-Identifier: GPL-3.0-or-later
# The same recording gives the same bytes: no time stamps. (They would be of whole seconds.)
record() {
    egc-sim trace record --out "$1" --steps 2 --workers 2 --set model=mlp \
        --set train_examples=200 --set test_examples=100 2>/dev/null
}
record a.h5 && sleep 1.1 && record b.h5 && cmp a.h5 b.h5 && echo same
