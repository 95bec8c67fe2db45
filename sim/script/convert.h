/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a Lua value to a tree that outlives the Lua state. */
#ifndef EGC_SCRIPT_CONVERT_H
#define EGC_SCRIPT_CONVERT_H

#include <lua.h>

#include "experiment/spec/spec.h"

/* Converts the value on top of the stack and leaves it there. It stands at `path` ("" for an
 * experiment), was written at `where`, and the tree lives in arena. FORMAT for what no experiment
 * can hold: functions, cycles, lists with holes, keys that are no names. Raises Lua errors. */
egc_status egc_convert_to_spec(lua_State *L, egc_arena *arena, const char *path, const char *where,
                               const egc_spec **out, egc_error *err) EGC_MUST_CHECK;

#endif
