/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A Lua state on the project's heap, and the only way to run code in it. */
#ifndef EGC_SCRIPT_STATE_H
#define EGC_SCRIPT_STATE_H

#include <lua.h>

#include "base/error.h"

/* Makes a state without libraries and globals. The caller frees it. MEMORY. */
egc_status egc_state_new(lua_State **out, egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_state_free(lua_State *L);

/* Pushes "FILE:LINE" of the innermost Lua function that runs. Raises Lua errors. */
void egc_state_push_where(lua_State *L);

/* Code that may raise Lua errors. Since these skip its end, it must own nothing. */
typedef egc_status (*egc_state_body)(lua_State *L, void *arg, egc_error *err);

/* Runs body in a protected call and leaves the stack as it was. Returns the status of body. A Lua
 * error becomes MEMORY, or FORMAT with Lua's "FILE:LINE: MESSAGE" on one line. */
egc_status egc_state_protect(lua_State *L, egc_state_body body, void *arg,
                             egc_error *err) EGC_MUST_CHECK;

#endif
