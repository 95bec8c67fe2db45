#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# package.sh BUILD CC SOURCE: makes the Debian packages of a build, lists their files, unpacks the two
# of libegc into a root of their own and compiles and runs SOURCE against that.
set -eu
dir=$1/package-test
rm -rf "$dir"
mkdir -p "$dir/root"
cpack --config "$1/CPackConfig.cmake" -B "$dir" >"$dir/log" 2>&1 || {
    cat "$dir/log"
    exit 1
}
holds() { # holds PACKAGE PATTERN...: the package has a file for each pattern
    name=$1
    shift
    dpkg-deb -c "$dir/${name}"_*.deb >"$dir/$name.files"
    for pattern; do
        grep -qE "$pattern\$|$pattern -> " "$dir/$name.files" || {
            echo "$name has no $pattern:"
            cat "$dir/$name.files"
            exit 1
        }
    done
}
depends() { dpkg-deb -f "$dir/$1"_*.deb Depends; }

holds egc-sim /usr/bin/egc-sim /copyright /examples/compare.lua
holds libegc0 '/libegc\.so\.0' '/libegc\.so\.0\.[0-9.]*'
holds libegc-dev /usr/include/egc/egc.h '/libegc\.so' '/libegc\.a' /egc.pc /egc-config.cmake
[ "$(find "$dir" -maxdepth 1 -name '*.deb' | wc -l)" -eq 3 ]
depends egc-sim | grep -q libsimgrid
depends libegc0 | grep -q libgsl
depends libegc-dev | grep -q 'libegc0 (= '
if depends libegc0 | grep -E 'simgrid|lua|jansson|hdf5'; then
    exit 1
fi

for package in libegc0 libegc-dev; do
    if [ "$(id -u)" = 0 ]; then
        dpkg --root="$dir/root" --force-depends --force-not-root --force-script-chrootless \
            -i "$dir/$package"_*.deb >>"$dir/log" 2>&1
    else
        dpkg-deb -x "$dir/$package"_*.deb "$dir/root"
    fi
done
libdir=$(dirname "$(find "$dir/root" -name libegc.so.0)")
"$2" -std=c99 -o "$dir/consumer" "$3" "-I$dir/root/usr/include" "-L$libdir" -legc -lm
LD_LIBRARY_PATH=$libdir "$dir/consumer"
