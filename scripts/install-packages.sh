#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what egc-sim needs from Debian 12, as root or through sudo. With --test, also what only
# the tests need. Does nothing when all is there; can be run again.
set -eu

packages="build-essential cmake ninja-build pkg-config
  libsimgrid-dev libgsl-dev liblua5.4-dev libhdf5-dev libdnnl-dev zlib1g-dev libjpeg-dev
  libjansson-dev libcsv-dev libcmocka-dev gnuplot-nox graphviz dataset-fashion-mnist
  bible-kjv bible-kjv-text"
test_packages="clang libclang-rt-14-dev python3-numpy python3-torch python3-h5py util-linux"

[ "${1:-}" = "--test" ] && packages="$packages $test_packages"

missing=""
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "install ok installed" ||
    missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo "== All Debian packages are there"
  exit 0
fi

sudo=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install-packages.sh: run as root, or install sudo; missing:$missing" >&2; exit 1; }
  sudo=sudo
fi
echo "== Installing Debian packages:$missing"
$sudo apt-get update -q
# shellcheck disable=SC2086 # a list of words
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends $missing
