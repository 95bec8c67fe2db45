# SPDX-License-Identifier: GPL-3.0-or-later
# Each command has a worked example, and `help COMMAND` says the same.
for command in $(egc-sim --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    egc-sim "$command" --help >long || exit
    egc-sim help "$command" | cmp - long || exit
    echo "$command: $(grep -c '^example:$' long) example, $(grep -c -- --help long) --help"
done
