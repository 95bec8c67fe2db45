/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The global table `egc` of scripts. Its constructors mark the tables that an experiment is made
 * of. */
#ifndef EGC_SCRIPT_API_H
#define EGC_SCRIPT_API_H

#include <lua.h>
#include <stdbool.h>

/* Opens the standard libraries and sets the global egc, whose function `simulate` has session as
 * its upvalue. Raises Lua errors. */
void egc_api_open(lua_State *L, lua_CFunction simulate, void *session);

/* Pushes the table egc. Raises Lua errors. */
void egc_api_push(lua_State *L);

/* table -> table: replaces the table on top by a copy that is marked as made by a constructor, at
 * the line that the script is at. Raises Lua errors. */
void egc_api_mark(lua_State *L, const char *constructor);

/* True if a constructor made the table at index. *constructor ("experiment", "each", "zip",
 * "method.topk") and *where ("compare.lua:12") belong to the table. */
bool egc_api_made(lua_State *L, int index, const char **constructor, const char **where);

#endif
