# SPDX-License-Identifier: GPL-3.0-or-later
# Every name that is listed can be described.
egc-sim list | sed -n 's/^  \([^ ]*\) .*/\1/p' | sort -u >names
while read -r name; do
    egc-sim describe "$name" >page || exit
    grep -q "^$name (.*): ." page || echo "no page: $name"
done <names
[ "$(wc -l <names)" -gt 50 ] && echo "all described"
