/* SPDX-License-Identifier: GPL-3.0-or-later */
/* VALUE is compiled as the Lua chunk `return VALUE`, which sees nothing but egc. If that fails or
 * gives nil, VALUE is text. */
#include "script/override.h"

#include <lauxlib.h>
#include <string.h>

#include "script/api.h"
#include "script/convert.h"

/* chunk -> its result or an error message. The chunk sees nothing but egc, so that a bare word is
 * nil even if it names a library. */
static int call_with_api(lua_State *L)
{
    lua_createtable(L, 0, 1);
    egc_api_push(L);
    lua_setfield(L, -2, "egc");
    /* chunk, environment */
    lua_setupvalue(L, -2, 1);
    return lua_pcall(L, 0, 1, 0);
}

/* False for nil, and for the table egc itself: "egc" alone is text. */
static bool is_value(lua_State *L)
{
    egc_api_push(L);
    /* value, egc */
    bool is_api = lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
    return !is_api && !lua_isnil(L, -1);
}

/* Pushes the value of a Lua expression, or the text itself. */
static void push_value(lua_State *L, const char *setting, const char *text)
{
    const char *chunk = lua_pushfstring(L, "return %s", text);
    const char *name = lua_pushfstring(L, "=--set %s", setting);
    int code = luaL_loadbufferx(L, chunk, strlen(chunk), name, "t");
    /* chunk, name, function or message */
    if (code == LUA_OK)
        code = call_with_api(L);
    if (code == LUA_ERRMEM)
        lua_error(L);
    if (code != LUA_OK && strncmp(text, "egc.", 4) == 0)
        lua_error(L);
    if (code != LUA_OK || !is_value(L))
        lua_pushstring(L, text);
}

egc_status egc_override_apply(lua_State *L, egc_arena *arena, const char *setting,
                              const egc_spec **root, egc_error *err)
{
    const egc_spec *value;
    const char *equals = strchr(setting, '=');
    if (!equals || equals == setting)
        return egc_fail(err, EGC_ERROR_FORMAT, "--set: must be PATH=VALUE, got \"%s\"", setting);
    char *path = egc_arena_printf(arena, "%.*s", (int)(equals - setting), setting);
    char *where = egc_arena_printf(arena, "--set %s", setting);
    if (!path || !where)
        return egc_fail_memory(err, strlen(setting));
    luaL_checkstack(L, 8, "no room for --set");
    int top = lua_gettop(L);
    push_value(L, setting, equals + 1);
    egc_status status = egc_convert_to_spec(L, arena, path, where, &value, err);
    lua_settop(L, top);
    if (!status && egc_spec_set(arena, *root, path, value, root, err))
        return egc_error_prefix(err, "--set");
    return status;
}
