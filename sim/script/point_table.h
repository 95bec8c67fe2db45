/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A point as a Lua table with all its parameters: the argument of the filter `where`. */
#ifndef EGC_SCRIPT_POINT_TABLE_H
#define EGC_SCRIPT_POINT_TABLE_H

#include <lua.h>

#include "train/config.h"

/* Pushes {workload = {name=, ...}, cluster = {...}, method = {name=, ratio=, ...},
 * algorithm = {name=, ...}, exchange=, workers=, seed=, ...}. Quantities are in SI units; an unset
 * one is nil. Raises Lua errors. */
void egc_point_table_push(lua_State *L, const egc_train_config *config);

#endif
