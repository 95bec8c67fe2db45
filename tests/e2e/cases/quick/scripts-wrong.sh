# SPDX-License-Identifier: GPL-3.0-or-later
# A script that cannot run is refused before anything runs, in one line that says where and what.

# wrong LINE: the script on standard input is refused with this line.
wrong() {
    cat >x.lua
    refuses 1 "$1" egc-sim run x.lua
}
refuses 1 "nowhere.lua: cannot open: No such file or directory" egc-sim run nowhere.lua
refuses 1 ".: cannot read: Is a directory" egc-sim run .
wrong 'x.lua:3: unexpected symbol near <eof>' <<'END'
return
egc.experiment { name =
END
wrong "x.lua:1: attempt to index a nil value (global 'ecg')" <<'END'
return ecg.experiment {}
END
wrong 'x.lua:1: no luck' <<'END'
error("no luck")
END
for nonsense in 3:number '"text"':string nil:nothing {}:table print:function; do
    wrong "x.lua: must return egc.experiment{...} or a list of them, got ${nonsense##*:}" <<END
return ${nonsense%:*}
END
done
