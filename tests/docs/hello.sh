#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# hello.sh README PREFIX CC FLAGS: compiles the program in README against the library installed in
# PREFIX, runs it, and compares its output with the one that README shows.
set -eu
out=$2/hello
block() {
    awk -v mark="<!-- $1 -->" '
        $0 == mark { inside = 1; next }
        inside && /^```/ { if (++fences == 2) exit; next }
        inside' "$readme"
}
readme=$1
block "file: hello.c" >"$out.c"
block "output: hello.c" >"$out.expected"
PKG_CONFIG_PATH=$(dirname "$(find "$2" -name egc.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046,SC2086 # lists of flags
"$3" -Wall -Wextra -Wpedantic -Werror $4 -o "$out" "$out.c" $(pkg-config --cflags --libs egc)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir egc) "$out" >"$out.got"
diff "$out.expected" "$out.got"
calls=$(grep -oE 'egc_[a-z]+_[a-z]+\(' "$out.c" | wc -l)
[ "$calls" -le 5 ]
