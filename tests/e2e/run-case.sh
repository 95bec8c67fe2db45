#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: run-case.sh PATH_OF_EGC_SIM PATH_OF_MAKE_TRACE CASE.sh
#
# Runs one case in a scratch folder, with both programs first in PATH, $EXPERIMENTS for the scripts
# beside the cases and $ROOT for the repository. The case ends with 0 (all held), 77 (cannot be
# tested here; it says why) or anything else. lib.sh has the words that cases are written in.
set -u
SUITE=$(dirname "$(realpath "$0")")
BIN=$(dirname "$(realpath "$1")")
TOOLS=$(dirname "$(realpath "$2")")
case_file=$(realpath "$3")
ROOT=$(realpath "$SUITE/../..")
EXPERIMENTS=$SUITE/experiments
PATH=$BIN:$TOOLS:$PATH
unset EGC_KERNELS EGC_DATA

SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
mkdir "$SCRATCH/work"
export SUITE BIN ROOT EXPERIMENTS PATH SCRATCH
cd "$SCRATCH/work" || exit 1
# shellcheck disable=SC2016 # expanded by the inner shell
sh -eu -c '. "$SUITE/lib.sh"; . "$1"' e2e "$case_file" </dev/null
