#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# find_package.sh PREFIX CC CXX FLAGS: builds project/ against the library installed in PREFIX and runs
# its programs.
set -eu
build=$1/project
rm -rf "$build"
cmake -S "$(dirname "$0")/project" -B "$build" -DCMAKE_PREFIX_PATH="$1" -DCMAKE_C_COMPILER="$2" \
    -DCMAKE_CXX_COMPILER="$3" -DCMAKE_C_FLAGS="$4" -DCMAKE_CXX_FLAGS="$4" >/dev/null
cmake --build "$build" >/dev/null
for program in shared_c static_c shared_cpp; do
    "$build/$program"
done
