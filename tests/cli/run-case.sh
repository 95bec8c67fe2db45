#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: run-case.sh PATH_OF_EGC_SIM CASE.sh [--rewrite]
#
# Runs one case in a scratch folder, with egc-sim first in PATH and $DATA for the files beside the
# cases. What comes out must equal CASE.stdout.exact, CASE.stderr.exact and CASE.exit; one that is
# not there stands for nothing, and for 0. --rewrite makes what came out the expectation: read
# the diff before committing it.
set -u
bin=$(dirname "$(realpath "$1")")
case_file=$(realpath "$2")
expected=${case_file%.sh}
rewrite=${3-}
PATH=$bin:$PATH
DATA=$(dirname "$(dirname "$case_file")")/data
export PATH DATA
unset EGC_KERNELS EGC_DATA

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/work"
cd "$scratch/work" || exit 1
sh "$case_file" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
echo $? >"$scratch/exit"
echo 0 >"$scratch/zero"
: >"$scratch/empty"

# compare OUTPUT EXPECTATION WITHOUT_ONE
failed=0
compare() {
    if [ "$rewrite" = --rewrite ]; then
        if cmp -s "$1" "$3"; then rm -f "$2"; else cp "$1" "$2"; fi
    elif [ -e "$2" ]; then
        diff -u "$2" "$1" || failed=1
    else
        diff -u --label "(nothing expected)" "$3" "$1" || failed=1
    fi
}
compare "$scratch/stdout" "$expected.stdout.exact" "$scratch/empty"
compare "$scratch/stderr" "$expected.stderr.exact" "$scratch/empty"
compare "$scratch/exit" "$expected.exit" "$scratch/zero"
exit $failed
