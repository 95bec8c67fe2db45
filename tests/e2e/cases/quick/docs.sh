# SPDX-License-Identifier: GPL-3.0-or-later
# What README.md, sim/README.md and CONTRIBUTING.md tell users to write works: ```lua blocks that
# return an experiment pass a dry run, and ```sh blocks after a line <!-- test --> are run, in a
# folder that looks like the repository after a build. Links between all Markdown files lead somewhere.
[ -e "$ROOT/README.md" ] || skip "there is no README.md"

ends 0 python3 "$SUITE/links.py" "$ROOT"
cat "$SCRATCH/stdout"

# blocks PAGE: writes its code blocks to blocks/PAGE-N.lua and .sh, N being the line they begin at and
# a / of its path a -.
blocks() {
    awk -v name="blocks/$(echo "$1" | tr / -)" '
        /^ *```/ && out   { close(out); out = ""; next }
        /^ *```/ && open  { open = marked = 0; next }
        /^ *```lua *$/    { out = name "-" NR ".lua" }
        /^ *```sh *$/     { if (marked) out = name "-" NR ".sh" }
        /^ *```/          { open = !out; marked = 0; if (out) printf "" >out; next }
        out               { print >out; next }
        /^ *<!-- test -->$/ { marked = 1; next }
        /[^ ]/            { marked = 0 }' "$ROOT/$1.md"
}

mkdir blocks here here/build
for page in README sim/README CONTRIBUTING; do
    blocks $page
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
[ "$n_lua" -ge 2 ] || fail "README.md and sim/README.md show an experiment each"
[ "$n_sh" -ge 2 ] || fail "README.md and sim/README.md have a shell block each after <!-- test -->"
