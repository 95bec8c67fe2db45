#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs, builds and runs every test: as users build it, under the sanitizers, and compiled by
# clang. As root or with sudo; can be run again.
set -eu
cd "$(dirname "$0")/.."

scripts/install-packages.sh --test

build() {
  echo "== Building $1"
  cmake --preset "$1" >/dev/null
  cmake --build --preset "$1" | grep -E "warning:|error:|FAILED" || true
  cmake --build --preset "$1" >/dev/null
}

build dev
echo "== Running all tests"
ctest --preset dev -j "$(nproc)"

build asan
echo "== Running the quick tests under AddressSanitizer and UBSan"
ctest --preset asan -j "$(nproc)" -L quick

build release
build o3
build plain
build clang
build scalar
echo "== Running the kernel and known-answer tests without vector kernels"
ctest --preset scalar -R '^(known|kernels|conformance)_?'

echo "== All tests passed"
