/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks the parameter tables of the parts of a point; a new parameter needs no code here. */
#include "script/point_table.h"

#include <lauxlib.h>
#include <math.h>

#include "train/algorithm.h"
#include "train/core/exchange_choice.h"

static void push_number(lua_State *L, const egc_param *param, double value)
{
    if (isnan(value))
        lua_pushnil(L);
    else if (param->choices && value < 0)
        lua_pushstring(L, param->choices[(int)-value - 1]);
    else if (value == floor(value) && fabs(value) < 0x1p53)
        lua_pushinteger(L, (lua_Integer)value);
    else
        lua_pushnumber(L, value);
}

static void push_list(lua_State *L, const egc_param *param, const egc_param_list *list);

static void push_param(lua_State *L, const egc_param *param, const void *object)
{
    const void *field = (const char *)object + param->offset;
    switch (param->kind) {
    case EGC_PARAM_REAL:
        push_number(L, param, *(const double *)field);
        break;
    case EGC_PARAM_INT:
        push_number(L, param, (double)*(const int64_t *)field);
        break;
    case EGC_PARAM_BOOL:
        lua_pushboolean(L, *(const bool *)field);
        break;
    case EGC_PARAM_CHOICE:
        lua_pushstring(L, param->choices[*(const int *)field]);
        break;
    case EGC_PARAM_TEXT:
        lua_pushstring(L, field);
        break;
    case EGC_PARAM_LIST:
        push_list(L, param, field);
        break;
    }
}

/* table -> table with a field for each row */
static void set_params(lua_State *L, const egc_param *table, const void *object)
{
    for (const egc_param *param = table; param && param->name; param++) {
        push_param(L, param, object);
        lua_setfield(L, -2, param->name);
    }
}

static void push_list(lua_State *L, const egc_param *param, const egc_param_list *list)
{
    const egc_param_item *item = egc_param_item_of(param);
    luaL_checkstack(L, 3, "no room for a list");
    lua_newtable(L);
    for (size_t i = 0; i < list->n; i++) {
        const void *object = (const char *)list->items + i * item->size;
        if (egc_param_item_is_value(item)) {
            push_param(L, item->table, object);
        } else {
            lua_newtable(L);
            set_params(L, item->table, object);
        }
        /* list, item */
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_named(lua_State *L, const char *name)
{
    lua_newtable(L);
    lua_pushstring(L, name);
    lua_setfield(L, -2, "name");
}

void egc_point_table_push(lua_State *L, const egc_train_config *config)
{
    luaL_checkstack(L, 4, "no room for a point");
    lua_newtable(L);
    set_params(L, egc_train_config_params, &config->options);

    push_named(L, config->workload->name);
    /* point, workload */
    set_params(L, config->workload->params, config->workload_params);
    lua_setfield(L, -2, "workload");

    push_named(L, config->cluster->name);
    /* point, cluster */
    set_params(L, config->cluster->params, config->cluster_params);
    lua_setfield(L, -2, "cluster");

    push_named(L, config->method.name);
    /* point, method */
    set_params(L, egc_method_option_params, &config->method.options);
    set_params(L, config->method.compressor->params, config->method.params);
    lua_setfield(L, -2, "method");

    lua_pushstring(L, egc_exchange_choice_asked(config));
    lua_setfield(L, -2, "exchange");
    const egc_algorithm_type *algorithm = egc_algorithm_of(config);
    push_named(L, algorithm->name);
    /* point, algorithm */
    if (config->algorithm_params)
        set_params(L, algorithm->params, config->algorithm_params);
    lua_setfield(L, -2, "algorithm");
}
