/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts Lua values to specifications, which outlive the Lua state. */
#ifndef EGC_SCRIPT_CONVERT_H
#define EGC_SCRIPT_CONVERT_H

#include <lua.h>

#include "experiment/spec/spec.h"

/* Converts the value on top of the stack and leaves it there. path is its place in the experiment
 * ("" for the experiment itself) and where the line that it was written in. The arena owns *out.
 * FORMAT for functions, cycles, lists with holes, and keys that are not names; RANGE for integers
 * that a double cannot hold; MEMORY. Raises Lua errors. */
egc_status egc_convert_to_spec(lua_State *L, egc_arena *arena, const char *path, const char *where,
                               const egc_spec **out, egc_error *err) EGC_MUST_CHECK;

#endif
