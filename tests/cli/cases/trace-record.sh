# SPDX-License-Identifier: GPL-3.0-or-later
# Figures depend on the CPU's arithmetic; what was recorded does not.
egc-sim trace record --out t.h5 --steps 5 --every 2 --workers 3 --seed 9 \
    --set model=mlp --set train_examples=600 --set test_examples=10 --set schedule=cosine || exit
egc-sim trace info t.h5 | awk '/^layer/ { table = 1 } { print table ? $1 " " $2 " " $8 : $0 }'
