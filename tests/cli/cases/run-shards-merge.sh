# SPDX-License-Identifier: GPL-3.0-or-later
egc-sim run "$DATA/tiny.lua" --out whole --quiet >table
egc-sim run "$DATA/tiny.lua" --out a --shard 1/2 --quiet >table
egc-sim run "$DATA/tiny.lua" --out b --shard 2/2 --quiet >table
egc-sim merge a b --out joined
cmp whole/runs.csv joined/runs.csv
cmp whole/steps.csv joined/steps.csv
