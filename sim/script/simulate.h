/* SPDX-License-Identifier: GPL-3.0-or-later */
/* egc.simulate: runs one point from a script, which may decide by the result. */
#ifndef EGC_SCRIPT_SIMULATE_H
#define EGC_SCRIPT_SIMULATE_H

#include <lua.h>

/* The Lua function. Its upvalue is the egc_session. Takes the table of egc.experiment, without axes
 * and `where`. Returns the row of runs.csv as a table, with the rows of steps.csv as its list
 * `steps`; empty fields are nil. Overrides (--set) apply. */
int egc_simulate(lua_State *L);

#endif
