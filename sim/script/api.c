/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A constructor is a Lua closure that copies its table and marks the copy by a metatable, which
 * holds the constructor's name and the line of the call. Reading an unknown field of `egc` is an
 * error. */
#include "script/api.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "compressors/core/method.h"
#include "experiment/spec/constructor.h"
#include "net/cluster/cluster.h"
#include "script/state.h"
#include "train/algorithm.h"
#include "workloads/workload.h"

/* Keys of metatables and of the registry: their addresses, which no script can produce. */
static const char constructor_key, where_key, api_key;

/* Pushes the metatable of a new value: its constructor, and the line of the call. */
static void push_mark(lua_State *L, const char *constructor)
{
    lua_createtable(L, 0, 3);
    lua_pushstring(L, constructor);
    lua_rawsetp(L, -2, &constructor_key);
    egc_state_push_where(L);
    lua_rawsetp(L, -2, &where_key);
    lua_pushstring(L, constructor);
    lua_setfield(L, -2, "__metatable");
}

/* Marks a copy, because a script may pass one table to several constructors. */
void egc_api_mark(lua_State *L, const char *constructor)
{
    int original = lua_gettop(L);
    lua_newtable(L);
    lua_pushnil(L);
    /* original, copy, key */
    while (lua_next(L, original)) {
        /* original, copy, key, value */
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -4);
    }
    push_mark(L, constructor);
    lua_setmetatable(L, -2);
    lua_replace(L, original);
}

static int make(lua_State *L)
{
    const char *constructor = lua_tostring(L, lua_upvalueindex(1));
    char call[EGC_TEXT_LENGTH];
    egc_constructor_call(constructor, call, sizeof call);
    int n = lua_gettop(L);
    if (n > 1 || (n == 1 && !lua_istable(L, 1)))
        return luaL_error(L, "%s: must be called with one table, as in %s{...}, got %s", call, call,
                          n > 1 ? "several values" : luaL_typename(L, 1));
    if (n == 0)
        lua_newtable(L);
    egc_api_mark(L, constructor);
    return 1;
}

bool egc_api_made(lua_State *L, int index, const char **constructor, const char **where)
{
    if (!lua_getmetatable(L, index))
        return false;
    lua_rawgetp(L, -1, &constructor_key);
    lua_rawgetp(L, -2, &where_key);
    /* mark, maker, where */
    bool made = lua_isstring(L, -2) && lua_isstring(L, -1);
    if (made) {
        *constructor = lua_tostring(L, -2);
        *where = lua_tostring(L, -1);
    }
    lua_pop(L, 3);
    return made;
}

/* ---- the table egc ------------------------------------------------------------------------- */

/* The metamethod __index, for an unknown name. Upvalues: the table's name, and the valid names. */
static int fail_unknown(lua_State *L)
{
    const char *table = lua_tostring(L, lua_upvalueindex(1));
    const char *valid = lua_tostring(L, lua_upvalueindex(2));
    return luaL_error(L, "unknown name \"%s.%s\"; valid: %s", table, luaL_tolstring(L, 2, NULL),
                      valid);
}

/* table, names -> table, names: adds a constructor and its name. */
static void add_constructor(lua_State *L, const char *name, const char *constructor)
{
    lua_pushstring(L, constructor);
    lua_pushcclosure(L, make, 1);
    lua_setfield(L, -3, name);
    if (lua_rawlen(L, -1) > 0)
        lua_pushfstring(L, "%s, %s", lua_tostring(L, -1), name);
    else
        lua_pushstring(L, name);
    /* table, old names, names */
    lua_remove(L, -2);
}

/* table, names -> table: makes reading an unknown field an error. */
static void seal(lua_State *L, const char *called)
{
    lua_pushstring(L, called);
    lua_insert(L, -2);
    lua_pushcclosure(L, fail_unknown, 2);
    lua_createtable(L, 0, 1);
    lua_insert(L, -2);
    /* table, metatable, function */
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

/* Pushes a table with a constructor "PART.NAME" for each item of a registry (base/registry.h). */
static void push_part(lua_State *L, const char *part, const void *const *items)
{
    lua_newtable(L);
    lua_pushliteral(L, "");
    for (; *items; items++) {
        const char *name = *(const char *const *)*items;
        /* table, names, constructor */
        const char *constructor = lua_pushfstring(L, "%s.%s", part, name);
        lua_insert(L, -3);
        add_constructor(L, egc_constructor_field(name), constructor);
        lua_remove(L, -3);
    }
    const char *called = lua_pushfstring(L, "egc.%s", part);
    lua_insert(L, -3);
    /* called, table, names */
    seal(L, called);
    lua_remove(L, -2);
}

/* table, names -> table, names: adds a constructor "PART.NAME" for each item of a registry. */
static void add_part(lua_State *L, const char *part, const void *const *items)
{
    for (; *items; items++) {
        const char *name = *(const char *const *)*items;
        const char *constructor = lua_pushfstring(L, "%s.%s", part, name);
        lua_insert(L, -3);
        /* constructor, table, names */
        add_constructor(L, egc_constructor_field(name), constructor);
        lua_remove(L, -3);
    }
}

static void push_new_api(lua_State *L, lua_CFunction simulate, void *session)
{
    lua_newtable(L);
    lua_pushlightuserdata(L, session);
    lua_pushcclosure(L, simulate, 1);
    lua_setfield(L, -2, "simulate");
    push_part(L, "workload", (const void *const *)egc_workload_types());
    lua_setfield(L, -2, "workload");
    push_part(L, "cluster", (const void *const *)egc_cluster_types());
    lua_setfield(L, -2, "cluster");
    lua_pushliteral(L, "simulate, workload, cluster");
    /* egc, names */
    add_constructor(L, "experiment", "experiment");
    add_constructor(L, "each", "each");
    add_constructor(L, "zip", "zip");
    add_part(L, "method", (const void *const *)egc_compressor_types());
    add_part(L, "method", (const void *const *)egc_method_presets());
    add_part(L, "algorithm", (const void *const *)egc_algorithm_types());
    seal(L, "egc");
}

void egc_api_push(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &api_key);
}

void egc_api_open(lua_State *L, lua_CFunction simulate, void *session)
{
    luaL_openlibs(L);
    push_new_api(L, simulate, session);
    lua_pushvalue(L, -1);
    /* egc, egc */
    lua_rawsetp(L, LUA_REGISTRYINDEX, &api_key);
    lua_setglobal(L, "egc");
}
