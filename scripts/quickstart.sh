#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# From a fresh clone to figures: installs Debian packages, builds, runs the main job on real data
# (scripts/compare.lua) and draws its figures. As root or with sudo; can be run again.
set -eu
cd "$(dirname "$0")/.."

scripts/install-packages.sh

echo "== Building into build/release"
cmake --preset release >build-quickstart.log 2>&1 || { cat build-quickstart.log; exit 1; }
cmake --build --preset release --target egc-sim >>build-quickstart.log 2>&1 || { tail -n 40 build-quickstart.log; exit 1; }
rm -f build-quickstart.log
egc_sim=build/release/sim/cli/egc-sim

echo "== Training a CNN on Fashion-MNIST with 8 workers on 1 Gbps, each method in turn"
rm -rf results/compare
$egc_sim run scripts/compare.lua --out results/compare --jobs "$(nproc)"

echo "== Drawing figures"
$egc_sim plot results/compare
