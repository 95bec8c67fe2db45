# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# The words that cases are written in. Nothing here leaves anything in the current folder.

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# For what this machine cannot show; ctest then says "Skipped".
skip() {
    echo "SKIPPED: $*" >&2
    exit 77
}

# No command may hang: what takes longer ends with 124, which no case expects.
within_limit() {
    timeout --kill-after=5 "${LIMIT:-60}" "$@"
}

# ends EXIT COMMAND...: runs it, keeps what it prints in $SCRATCH/stdout and $SCRATCH/stderr.
ends() {
    wanted_exit=$1
    shift
    got_exit=0
    within_limit "$@" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" || got_exit=$?
    [ "$got_exit" -eq "$wanted_exit" ] && return
    cat "$SCRATCH/stdout" "$SCRATCH/stderr" >&2
    fail "exit $got_exit instead of $wanted_exit: $*"
}

# says LINE...: the last command wrote just these lines to stderr, "egc-sim: " before each. "..." at
# the end of a line stands for anything: a list that grows elsewhere.
says() {
    for line in "$@"; do
        case $line in
            *...) line=$(grep -F -- "egc-sim: ${line%...}" "$SCRATCH/stderr") ;;
            *) line="egc-sim: $line" ;;
        esac
        printf '%s\n' "$line"
    done >"$SCRATCH/wanted"
    diff -u --label wanted --label got "$SCRATCH/wanted" "$SCRATCH/stderr" >&2 ||
        fail "another message than wanted"
}

prints_nothing() {
    [ ! -s "$SCRATCH/stdout" ] || {
        cat "$SCRATCH/stdout" >&2
        fail "output where there should be none"
    }
}

# What lies in the current folder, but for the lock that a killed run leaves to the next.
files() {
    find . ! -name .lock | sort
}

# refuses EXIT LINE COMMAND...: one line on stderr, no output, no file more or less.
refuses() {
    refusal_exit=$1 refusal=$2
    shift 2
    files >"$SCRATCH/files-before"
    ends "$refusal_exit" "$@"
    says "$refusal"
    prints_nothing
    files | diff -u "$SCRATCH/files-before" - >&2 || fail "files came or went: $*"
}

# same_results A B: the CSV files of two results folders hold the same bytes.
same_results() {
    for folder in "$1" "$2"; do
        (cd "$folder" && echo ./*.csv)
    done | uniq | wc -l | grep -qx 1 || fail "$1 and $2 hold other CSV files"
    for csv in "$1"/*.csv; do
        cmp "$csv" "$2/${csv##*/}" >&2 || fail "$1 and $2 differ"
    done
}

# complete_rows PART WHOLE: each CSV file of PART is a beginning of WHOLE's, up to the end of a row.
complete_rows() {
    for csv in "$1"/*.csv; do
        [ -e "$csv" ] || continue
        [ "$(tail -c 1 "$csv" | od -An -c)" = '  \n' ] || fail "$csv ends inside a row"
        cmp -n "$(wc -c <"$csv")" "$csv" "$2/${csv##*/}" >&2 || fail "$csv is no part of the whole"
    done
}

# rows FILE: how many rows it has below its header; none if it is not there.
rows() {
    [ -e "$1" ] || {
        echo 0
        return
    }
    echo $(($(wc -l <"$1") - 1))
}

# column FILE NAME: that column of a file without quoted fields, a value a line.
column() {
    awk -F, -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; if (!at) exit 1; next }
        { print $at }' "$1" || fail "$1 has no column $2"
}

# until_true COMMAND...: tries it until it succeeds, for a limited time.
until_true() {
    for _ in $(seq 600); do
        "$@" && return
        sleep 0.05
    done
    fail "never came true: $*"
}

# A process in the background is $run, what it started $children, as long as they are not known to
# have ended: a failing case does not leave them behind.
run='' children=''
trap 'kill -KILL $run $children 2>/dev/null || true' EXIT

# Waits for $run; what it ended with is in $got_exit.
await_run() {
    until_true gone "$run"
    got_exit=0
    wait "$run" 2>/dev/null || got_exit=$?
    run=''
}

# The last of the case's $children have ended, or do so soon.
children_gone() {
    for child in $children; do
        until_true gone "$child"
    done
    children=''
}

# True when process PID has ended, whether or not its parent has noticed.
gone() {
    case $(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null) in '' | Z | X) true ;; *) false ;; esac
}

children_of() {
    cat "/proc/$1/task/$1/children" 2>/dev/null || true
}

# point_fails MESSAGE COMMAND...: a run of one point into the folder "here" ends with 1; its only
# row and its only line on stderr say why.
point_fails() {
    failure=$1
    shift
    ends 1 "$@" --out here --quiet
    prints_nothing
    id=$(column here/runs.csv run_id)
    says "1 of 1 runs are not ok, see here/runs.csv; the first is $id (failed): $failure"
    rm -r here
}
