/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The global `egc`: functions that mark the tables an experiment is written in. */
#ifndef EGC_SCRIPT_MAKERS_H
#define EGC_SCRIPT_MAKERS_H

#include <lua.h>
#include <stdbool.h>

/* Opens the standard libraries and sets the global egc, whose function `simulate` gets session as
 * its upvalue. Raises Lua errors. */
void egc_lua_open(lua_State *L, lua_CFunction simulate, void *session);

/* Pushes the table egc. Raises Lua errors. */
void egc_lua_push_api(lua_State *L);

/* table -> table: puts in place of the table on top a copy of it that maker made, at the line that
 * the script is at. Raises Lua errors. */
void egc_lua_mark(lua_State *L, const char *maker);

/* True when a maker made the table at index: *maker ("experiment", "each", "zip", "method.topk")
 * and *where ("compare.lua:12") are borrowed from the table. */
bool egc_lua_made(lua_State *L, int index, const char **maker, const char **where);

#endif
