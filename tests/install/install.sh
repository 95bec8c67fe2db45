#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# install.sh BUILD PREFIX: installs the build into an empty folder. No header but egc.h is there.
set -eu
rm -rf "$2"
cmake --install "$1" --prefix "$2" >/dev/null
[ "$(find "$2" -name '*.h')" = "$2/include/egc/egc.h" ]
"$2/bin/egc-sim" version >/dev/null
