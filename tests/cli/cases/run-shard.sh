# SPDX-License-Identifier: GPL-3.0-or-later
# None of these is a shard.
for shard in 3/2 0/2 1 1/ /2 1/2/3 a/b; do
    egc-sim run x.lua --shard "$shard"
    echo $?
done
