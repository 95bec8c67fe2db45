#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# header.sh HEADER: the installed header compiles alone, in each language and by each compiler there
# is, without a warning; and at least 60 % of its lines that are not blank are prose.
set -eu
for cc in gcc clang; do
    command -v "$cc" >/dev/null || continue
    for language in c:c99 c:c11 c++:c++17; do
        "$cc" -x "${language%:*}" -std="${language#*:}" -Wall -Wextra -Wpedantic -Wshadow -Werror \
            -fsyntax-only "$1"
    done
done
awk '
    NF == 0 { next }
    { lines++ }
    inside || $1 ~ /^\/\*/ { prose++ }
    /\/\*/ { inside = 1 }
    /\*\// { inside = 0 }
    END {
        printf "%d of %d lines, %.0f %%, are prose\n", prose, lines, 100 * prose / lines
        exit prose < 0.6 * lines
    }' "$1"
