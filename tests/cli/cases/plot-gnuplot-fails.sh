# SPDX-License-Identifier: GPL-3.0-or-later
# A gnuplot that objects: its last line is the reason.
cp -r "$DATA/small" dir
mkdir bin
printf '#!/bin/sh\necho something >&2\necho "line 3: no such terminal" >&2\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH egc-sim plot dir
