/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a script sees of a point: plain tables, every parameter included. */
#ifndef EGC_SCRIPT_POINT_TABLE_H
#define EGC_SCRIPT_POINT_TABLE_H

#include <lua.h>

#include "train/config.h"

/* Pushes {workload = {name=, ...}, cluster = {...}, method = {name=, ratio=, ...},
 * algorithm = {name=, ...}, exchange=, workers=, seed=, ...}. Quantities are in SI units; what is
 * unset is nil. Raises Lua errors. */
void egc_point_table_push(lua_State *L, const egc_train_config *config);

#endif
