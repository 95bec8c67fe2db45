/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A Lua state on the project's heap, and the one way to enter it. */
#ifndef EGC_SCRIPT_STATE_H
#define EGC_SCRIPT_STATE_H

#include <lua.h>

#include "base/error.h"

/* A bare state: no libraries, no globals. MEMORY. */
egc_status egc_state_new(lua_State **out, egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_state_free(lua_State *L);

/* Pushes "FILE:LINE" of the innermost Lua function under way. Raises Lua errors. */
void egc_state_push_where(lua_State *L);

/* What runs inside: it may raise Lua errors, and must own nothing that only it would free. */
typedef egc_status (*egc_state_body)(lua_State *L, void *arg, egc_error *err);

/* Runs body in a protected call and leaves the stack as it was. An error that Lua raised becomes
 * one line: MEMORY, or FORMAT with Lua's "FILE:LINE: MESSAGE". */
egc_status egc_state_protect(lua_State *L, egc_state_body body, void *arg,
                             egc_error *err) EGC_MUST_CHECK;

#endif
