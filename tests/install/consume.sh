#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# consume.sh BUILD_DIR CC SOURCE SANITIZE: installs the build into a folder of its own, compiles SOURCE
# with what pkg-config says, and runs it.
set -eu
prefix=$1/install-test
rm -rf "$prefix"
cmake --install "$1" --prefix "$prefix" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name egc.pc)")
export PKG_CONFIG_PATH
sanitize=""
[ "$4" = ON ] && sanitize="-fsanitize=address,undefined"
# shellcheck disable=SC2046,SC2086 # lists of flags
"$2" -std=c11 -Wall -Wextra -pedantic -Werror $sanitize -o "$prefix/consumer" "$3" $(pkg-config --cflags --libs egc)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir egc) "$prefix/consumer"
"$prefix/bin/egc-sim" version >/dev/null
