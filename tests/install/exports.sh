#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# exports.sh LIBRARY HEADER: the shared library exports the functions that the header declares, and
# nothing else; it needs neither SimGrid, Lua nor JSON.
set -eu
exported=$(nm -D --defined-only "$1" | awk '$2 != "A" {print $3}' | sort)
declared=$(tr '\n' ' ' <"$2" | grep -oE 'EGC_API [^;(]*\(' | grep -oE 'egc_[a-z_]+\(' | tr -d '(' | sort)
if [ "$exported" != "$declared" ]; then
    echo "exported and declared functions differ (exported <, declared >):"
    printf '%s\n' "$exported" >"$1.exported"
    printf '%s\n' "$declared" | diff "$1.exported" - || true
    exit 1
fi
needed=$(readelf -d "$1" | grep -oE 'NEEDED.*\[.*\]' | grep -oE '[a-z_+-]+\.so' | sort | tr '\n' ' ')
case " $needed" in
*simgrid* | *lua* | *jansson* | *hdf5* | *csv*)
    echo "the library needs $needed"
    exit 1
    ;;
esac
readelf -d "$1" | grep -q 'SONAME.*\[libegc\.so\.0\]'
