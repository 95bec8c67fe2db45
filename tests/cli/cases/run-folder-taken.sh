# SPDX-License-Identifier: GPL-3.0-or-later
egc-sim run "$DATA/tiny.lua" --out here --quiet >first || exit
egc-sim run "$DATA/tiny.lua" --out here
echo $?
egc-sim run "$DATA/tiny.lua" --out here --resume --quiet | cmp - first
