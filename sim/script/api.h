/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The global `egc`: functions that mark the tables an experiment is written in. */
#ifndef EGC_SCRIPT_API_H
#define EGC_SCRIPT_API_H

#include <lua.h>
#include <stdbool.h>

/* Opens the standard libraries and sets the global egc, whose function `simulate` gets session as
 * its upvalue. Raises Lua errors. */
void egc_api_open(lua_State *L, lua_CFunction simulate, void *session);

/* Pushes the table egc. Raises Lua errors. */
void egc_api_push(lua_State *L);

/* table -> table: puts in place of the table on top a copy of it that maker made, at the line that
 * the script is at. Raises Lua errors. */
void egc_api_mark(lua_State *L, const char *constructor);

/* True when a maker made the table at index: *maker ("experiment", "each", "zip", "method.topk")
 * and *where ("compare.lua:12") are borrowed from the table. */
bool egc_api_made(lua_State *L, int index, const char **constructor, const char **where);

#endif
