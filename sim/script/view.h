/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a script sees of a point: plain tables, every parameter included. */
#ifndef EGC_SCRIPT_VIEW_H
#define EGC_SCRIPT_VIEW_H

#include <lua.h>

#include "train/config.h"

/* Pushes {workload = {name=, ...}, cluster = {...}, method = {name=, ratio=, ...},
 * algorithm = {name=, ...}, exchange=, workers=, seed=, ...}. Quantities are in SI units; what is
 * unset is nil. Raises Lua errors. */
void egc_lua_push_config(lua_State *L, const egc_training_config *config);

#endif
