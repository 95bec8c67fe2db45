/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option --set PATH=VALUE, which changes an experiment from the command line. */
#ifndef EGC_SCRIPT_OVERRIDE_H
#define EGC_SCRIPT_OVERRIDE_H

#include <lua.h>

#include "experiment/spec/spec.h"

/* Applies one setting to *root, which is replaced. VALUE is a Lua expression that may use egc
 * ("seed=egc.each{1, 2}"), or text ("cluster.bandwidth=10Gbps"). The arena owns the new *root.
 * FORMAT, NAME, RANGE; MEMORY. Raises Lua errors. */
egc_status egc_override_apply(lua_State *L, egc_arena *arena, const char *setting,
                              const egc_spec **root, egc_error *err) EGC_MUST_CHECK;

#endif
