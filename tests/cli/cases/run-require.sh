# SPDX-License-Identifier: GPL-3.0-or-later
# Modules are found beside the script, from wherever it is run.
mkdir scripts
cp "$DATA/tiny.lua" scripts/tiny.lua
echo 'return require "tiny"' >scripts/outer.lua
egc-sim run scripts/outer.lua --dry-run | sed 's/^[0-9a-f]\{16\} /ID /'
