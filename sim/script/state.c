/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lua allocates through base/mem.h, so that tests can make any of its allocations fail. Errors
 * become one line, with the place where they were raised. */
#include "script/state.h"

#include <assert.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* A block that shrinks stays in place: Lua assumes that shrinking cannot fail. */
static void *reallocate(void *arg, void *old, size_t old_size, size_t new_size)
{
    (void)arg;
    if (new_size == 0) {
        egc_free(old);
        return NULL;
    }
    if (old && new_size <= old_size)
        return old;
    void *memory = egc_calloc(new_size, 1);
    if (memory && old) {
        memcpy(memory, old, old_size);
        egc_free(old);
    }
    return memory;
}

egc_status egc_state_new(lua_State **out, egc_error *err)
{
    *out = lua_newstate(reallocate, NULL);
    return *out ? EGC_OK : egc_fail(err, EGC_ERROR_MEMORY, "out of memory: no Lua state");
}

void egc_state_free(lua_State *L)
{
    if (L)
        lua_close(L);
}

void egc_state_push_where(lua_State *L)
{
    lua_Debug frame;
    for (int level = 1; lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (frame.currentline > 0) {
            lua_pushfstring(L, "%s:%d", frame.short_src, frame.currentline);
            return;
        }
    }
    lua_pushliteral(L, "?");
}

/* The message handler: turns error objects of any type into text while the line is still known. */
static int describe_error(lua_State *L)
{
    /* object */
    if (lua_type(L, 1) == LUA_TSTRING)
        return 1;
    if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING)
        return 1;
    egc_state_push_where(L);
    lua_pushfstring(L, "%s: an error must be text, got a %s", lua_tostring(L, -1),
                    luaL_typename(L, 1));
    return 1;
}

static egc_status report(lua_State *L, int code, egc_error *err)
{
    /* message */
    const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "unknown error";
    if (code == LUA_ERRMEM)
        return egc_fail(err, EGC_ERROR_MEMORY, "out of memory: the script needs more");
    char text[EGC_ERROR_LENGTH + 1]; /* one byte more, so that egc_fail marks a cut */
    snprintf(text, sizeof text, "%s", message);
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r' ||
            *c == '\t') /* Lua puts the places of a missing module on lines */
            *c = ' ';
    return egc_fail(err, EGC_ERROR_FORMAT, "%s", text);
}

typedef struct protected_call {
    egc_state_body body;
    void *arg;
    egc_status status;
    egc_error *err;
} protected_call;

static int enter(lua_State *L)
{
    protected_call *call = lua_touserdata(L, 1);
    lua_settop(L, 0);
    call->status = call->body(L, call->arg, call->err);
    return 0;
}

egc_status egc_state_protect(lua_State *L, egc_state_body body, void *arg, egc_error *err)
{
    protected_call call = {.body = body, .arg = arg, .err = err};
    int top = lua_gettop(L);
    if (!lua_checkstack(L, 4))
        return egc_fail(err, EGC_ERROR_MEMORY, "out of memory: the Lua stack cannot grow");
    lua_pushcfunction(L, describe_error);
    lua_pushcfunction(L, enter);
    lua_pushlightuserdata(L, &call);
    /* describe_error, enter, call */
    int code = lua_pcall(L, 1, 0, top + 1);
    if (code != LUA_OK) {
        call.status = report(L, code, err);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    assert(lua_gettop(L) == top);
    return call.status;
}
