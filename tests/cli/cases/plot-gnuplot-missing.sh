# SPDX-License-Identifier: GPL-3.0-or-later
cp -r "$DATA/small" dir
program=$(command -v egc-sim)
PATH=/nowhere "$program" plot dir
