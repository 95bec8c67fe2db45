/* SPDX-License-Identifier: GPL-3.0-or-later */
/* egc.simulate: a script runs a point and decides by what it got. */
#ifndef EGC_SCRIPT_SIMULATE_H
#define EGC_SCRIPT_SIMULATE_H

#include <lua.h>

/* The Lua function; its upvalue is the egc_session. Takes what egc.experiment takes, without axes
 * and `where`; returns the row of runs.csv as a table, with the rows of steps.csv as its list
 * `steps`. What does not apply is nil. Overrides (--set) apply here too. */
int egc_simulate(lua_State *L);

#endif
