# SPDX-License-Identifier: GPL-3.0-or-later
# run_ids depend on every default, so that they are no part of this.
egc-sim run "$DATA/tiny.lua" --dry-run | sed 's/^[0-9a-f]\{16\} /ID /'
ls
