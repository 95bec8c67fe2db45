# SPDX-License-Identifier: GPL-3.0-or-later
# Whatever a value holds, what is said about it is one line.
two=$(printf 'a\nb\033')
for words in "run $two" "run x --set $two" "run x --jobs $two" "run x --$two" "describe $two" \
    "list $two" "$two"; do
    IFS=' '
    # shellcheck disable=SC2086 # several words
    egc-sim $words 2>&1 | sed 's/\(valid: \).*/\1.../'
done
egc-sim run "$DATA/tiny.lua" --out here --set "method=$two" 2>&1 | sed 's/\(valid: \).*/\1.../'
