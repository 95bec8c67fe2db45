# SPDX-License-Identifier: GPL-3.0-or-later
# What README.md and CONTRIBUTING.md tell users to write works: ```lua blocks that return an
# experiment pass a dry run, and ```sh blocks after a line <!-- test --> are run, in a folder that
# looks like the repository after a build.
[ -e "$ROOT/README.md" ] || skip "there is no README.md"

# blocks FILE: writes its code blocks to blocks/FILE-N.lua and .sh, N being the line they begin at.
blocks() {
    awk -v name="blocks/$(basename "$1" .md)" '
        /^ *```/ && out   { close(out); out = ""; next }
        /^ *```/ && open  { open = marked = 0; next }
        /^ *```lua *$/    { out = name "-" NR ".lua" }
        /^ *```sh *$/     { if (marked) out = name "-" NR ".sh" }
        /^ *```/          { open = !out; marked = 0; if (out) printf "" >out; next }
        out               { print >out; next }
        /^ *<!-- test -->$/ { marked = 1; next }
        /[^ ]/            { marked = 0 }' "$1"
}

mkdir blocks here here/build
for doc in README CONTRIBUTING; do
    [ ! -e "$ROOT/$doc.md" ] || blocks "$ROOT/$doc.md"
done
for entry in "$ROOT"/*; do
    case ${entry##*/} in build | results) ;; *) ln -s "$entry" here/ ;; esac
done
ln -s "$(realpath "$BIN/../..")" here/build/release
cd here || exit

n_lua=0 n_sh=0
for block in ../blocks/*.lua; do
    grep -qs 'return egc.experiment' "$block" || continue
    ends 0 egc-sim run "$block" --dry-run
    n_lua=$((n_lua + 1))
done
for block in ../blocks/*.sh; do
    [ -e "$block" ] || continue
    LIMIT=120 ends 0 sh -eu "$block"
    n_sh=$((n_sh + 1))
done
echo "$n_lua experiments pass a dry run, $n_sh shell blocks were run"
[ "$n_lua" -gt 0 ] || fail "README.md shows no experiment"
[ "$n_sh" -gt 0 ] || fail "README.md and CONTRIBUTING.md have no shell block after <!-- test -->"
