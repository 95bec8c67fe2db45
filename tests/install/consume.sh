#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# consume.sh PREFIX CC FLAGS SOURCE: compiles SOURCE against the library installed in PREFIX with
# what pkg-config says, shared and static, and runs both programs.
set -eu
PKG_CONFIG_PATH=$(dirname "$(find "$1" -name egc.pc)")
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir egc)
out=$1/$(basename "$4" .c)
# shellcheck disable=SC2046,SC2086 # lists of flags
{
    "$2" -std=c99 -Wall -Wextra -Wpedantic -Werror $3 -o "$out" "$4" $(pkg-config --cflags --libs egc) -lm
    "$2" -std=c99 $3 -o "$out-static" "$4" $(pkg-config --cflags egc) "$libdir/libegc.a" \
        $(pkg-config --static --libs-only-l egc | sed 's/-legc//')
}
LD_LIBRARY_PATH=$libdir "$out"
"$out-static" >/dev/null
