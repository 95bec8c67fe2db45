# SPDX-License-Identifier: GPL-3.0-or-later
# Results that have no place are refused before anything runs.
# shellcheck disable=SC2086 # $as_user is a command and its arguments
small=$EXPERIMENTS/small.lua

as_user=
if [ "$(id -u)" -eq 0 ]; then # who may write everywhere
    as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
    $as_user true || skip "root cannot become another user here"
fi
cp "$BIN/egc-sim" "$small" .
chmod -R a+rX "$SCRATCH"
mkdir locked
chmod 555 locked
$as_user ./egc-sim version >"$SCRATCH/version" || skip "another user cannot run the program"

refuses 1 "locked/here: cannot make the folder: Permission denied" \
    $as_user ./egc-sim run small.lua --out locked/here
refuses 1 "locked/.lock: cannot write: Permission denied" $as_user ./egc-sim run small.lua --out locked
refuses 1 "small.lua: is not a folder" \
    egc-sim run small.lua --out small.lua/here
refuses 1 "small.lua: is not a folder" egc-sim run small.lua --out small.lua
