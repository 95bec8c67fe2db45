# SPDX-License-Identifier: GPL-3.0-or-later
# A file that is asked for by name: a link stays one, what is no file is written to and stays what
# it is, and whatever cannot be written is told in one line.
bench() {
    ends "$1" egc-sim bench compressors --method topk --elements 10 --csv "$2"
}
bench 0 plain
head -n 1 plain >header
is_written() {
    head -n 1 "$1" | cmp -s header - || fail "$1 does not hold the table"
}

# ---- links ---------------------------------------------------------------------------------------

mkdir folder
echo old >folder/target
ln -s target folder/second
ln -s folder/second link
ln -s "$PWD/folder/made" dangling
bench 0 link
bench 0 dangling
is_written folder/target
is_written folder/made
for name in link folder/second dangling; do
    [ -L "$name" ] || fail "$name is no link any more"
done
ln -s b a
ln -s a b
bench 1 a
says "a: cannot write: Too many levels of symbolic links"
ln -s nowhere/x.csv astray
bench 1 astray
says "astray: cannot write: No such file or directory"

# ---- pipes, folders ------------------------------------------------------------------------------

mkfifo pipe
within_limit cat pipe >piped &
run=$!
bench 0 pipe
await_run
is_written piped
[ -p pipe ] || fail "the pipe was replaced"
bench 1 folder
says "folder: cannot write: Is a directory"
prints_nothing # it is found out before anything is measured

make-trace good trace.h5
within_limit cat pipe >piped &
# shellcheck disable=SC2034 # await_run waits for it
run=$!
ends 0 egc-sim trace fit trace.h5 --out pipe
await_run
grep -q '^return {' piped || fail "the fit did not come through the pipe"
[ -p pipe ] || fail "the pipe was replaced"

# ---- the output itself ---------------------------------------------------------------------------

egc-sim bench compressors --method topk --elements 10 --csv /dev/stdout | cat >piped
grep -qFf header piped || fail "the table did not come through standard output"
egc-sim bench compressors --method topk --elements 10 --csv /dev/stdout >both
grep -qFf header both || fail "the table is not in the file of the output"
grep -q '^  topk ' both || fail "what was printed is lost"

# ---- nothing stays behind ------------------------------------------------------------------------

find . -name '*.draft' | grep . && fail "drafts are left"
true
