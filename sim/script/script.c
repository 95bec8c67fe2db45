/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "script/script.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "experiment/build.h"
#include "script/convert.h"
#include "script/devices.h"
#include "script/makers.h"
#include "script/override.h"
#include "script/state.h"
#include "script/view.h"

/* Keys of the registry: the list of experiments, and the `where` of the one being built. */
static const char list_key, filter_key;

typedef struct session {
    lua_State *L;
    const char *path;
    egc_buf source;
    egc_device_list devices;
    const char *const *overrides;
    size_t n_overrides;
    egc_script *out;
} session;

/* ---- running the script -------------------------------------------------------------------- */

static egc_status read_file(const char *path, egc_buf *out, egc_error *err)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return egc_fail_errno(err, "open", path);
    egc_status status = EGC_OK;
    for (size_t got = 1; got && !status;) {
        status = egc_buf_reserve(out, 4096, err);
        got = status ? 0 : fread(out->data + out->len, 1, 4096, file);
        out->len += got;
    }
    if (!status && ferror(file))
        status = egc_fail_errno(err, "read", path);
    if (!status)
        status = egc_buf_append(out, "", 1, err);
    fclose(file);
    return status;
}

static bool is_experiment(lua_State *L, int index)
{
    const char *maker, *where;
    return egc_lua_made(L, index, &maker, &where) && strcmp(maker, "experiment") == 0;
}

/* True for {experiment, ...}. */
static bool is_list(lua_State *L)
{
    /* value */
    const char *maker, *where;
    if (!lua_istable(L, -1) || egc_lua_made(L, -1, &maker, &where) || lua_rawlen(L, -1) == 0)
        return false;
    lua_pushnil(L);
    /* value, key */
    while (lua_next(L, -2)) {
        /* value, key, item */
        bool fits = lua_isinteger(L, -2) && is_experiment(L, -1);
        lua_pop(L, fits ? 1 : 2);
        if (!fits)
            return false;
    }
    return true;
}

/* Leaves the list of experiments in the registry. */
static egc_status run_script(lua_State *L, void *arg, egc_error *err)
{
    session *s = arg;
    egc_lua_open(L);
    const char *chunk_name = lua_pushfstring(L, "@%s", s->path);
    if (luaL_loadbufferx(L, (const char *)s->source.data, s->source.len - 1, chunk_name, "t"))
        return lua_error(L);
    lua_call(L, 0, 1);
    /* chunk name, result */
    if (is_experiment(L, -1)) {
        lua_createtable(L, 1, 0);
        lua_insert(L, -2);
        lua_rawseti(L, -2, 1);
    }
    if (!is_list(L))
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "%s: must return egc.experiment{...} or a list of them, got %s", s->path,
                        lua_isnil(L, -1) ? "nothing" : luaL_typename(L, -1));
    s->out->n_experiments = lua_rawlen(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &list_key);
    return EGC_OK;
}

/* ---- one experiment ------------------------------------------------------------------------ */

typedef struct conversion {
    const session *session;
    size_t index;
    const egc_spec *root;
    bool has_filter;
} conversion;

/* experiment -> experiment; its `where` goes to the registry. */
static egc_status keep_filter(lua_State *L, conversion *c, egc_error *err)
{
    lua_pushliteral(L, "where");
    lua_rawget(L, -2);
    /* experiment, where */
    c->has_filter = !lua_isnil(L, -1);
    if (c->has_filter && !lua_isfunction(L, -1))
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: where: must be a function of a point, got a %s",
                        c->root->where, luaL_typename(L, -1));
    lua_rawsetp(L, LUA_REGISTRYINDEX, &filter_key);
    return EGC_OK;
}

static egc_status convert_experiment(lua_State *L, void *arg, egc_error *err)
{
    conversion *c = arg;
    const session *s = c->session;
    egc_arena *arena = &s->out->experiments[c->index].arena;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &list_key);
    lua_rawgeti(L, -1, (lua_Integer)c->index + 1);
    /* list, experiment */
    egc_status status = egc_lua_to_spec(L, arena, "", s->path, &c->root, err);
    if (!status)
        status = keep_filter(L, c, err);
    for (size_t i = 0; i < s->n_overrides && !status; i++)
        status = egc_lua_override(L, arena, s->overrides[i], &c->root, err);
    return status;
}

typedef struct filter_call {
    const egc_training_config *config;
    bool *keep;
} filter_call;

static egc_status call_filter(lua_State *L, void *arg, egc_error *err)
{
    filter_call *call = arg;
    (void)err;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &filter_key);
    egc_lua_push_config(L, call->config);
    /* where, point */
    lua_call(L, 1, 1);
    *call->keep = lua_toboolean(L, -1);
    return EGC_OK;
}

static egc_status filter_point(void *arg, const egc_training_config *config, bool *keep,
                               egc_error *err)
{
    filter_call call = {config, keep};
    return egc_lua_protect(arg, call_filter, &call, err);
}

/* The script's file name without folders and extension. */
static char *default_name(egc_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    return egc_arena_printf(arena, "%.*s", (int)(dot ? (size_t)(dot - file) : strlen(file)), file);
}

static egc_status load_experiment(session *s, size_t index, egc_error *err)
{
    egc_experiment *experiment = &s->out->experiments[index];
    conversion c = {.session = s, .index = index};
    char *name = default_name(&experiment->arena, s->path);
    experiment->source_path = egc_arena_strdup(&experiment->arena, s->path);
    experiment->source = egc_arena_strdup(&experiment->arena, (const char *)s->source.data);
    if (!name || !experiment->source_path || !experiment->source)
        return egc_fail_memory(err, s->source.len);
    egc_status status = egc_lua_protect(s->L, convert_experiment, &c, err);
    if (status)
        return status;
    return egc_experiment_build(experiment, c.root, name, s->devices.profiles,
                                c.has_filter ? filter_point : NULL, s->L, err);
}

/* ---- all of them --------------------------------------------------------------------------- */

static egc_status check_names(const session *s, egc_error *err)
{
    for (size_t i = 0; i < s->out->n_experiments; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(s->out->experiments[i].name, s->out->experiments[j].name) == 0)
                return egc_fail(err, EGC_ERROR_NAME,
                                "%s: experiments must have different names, got two called \"%s\"",
                                s->path, s->out->experiments[i].name);
    return EGC_OK;
}

static egc_status load_experiments(session *s, egc_error *err)
{
    egc_status status = egc_lua_protect(s->L, run_script, s, err);
    if (status)
        return status;
    size_t n = s->out->n_experiments;
    s->out->experiments = egc_calloc(n, sizeof *s->out->experiments);
    if (!s->out->experiments)
        return egc_fail_memory(err, n * sizeof *s->out->experiments);
    for (size_t i = 0; i < n && !status; i++)
        status = load_experiment(s, i, err);
    return status ? status : check_names(s, err);
}

egc_status egc_script_load(const char *path, const char *const *overrides, size_t n_overrides,
                           egc_script *out, egc_error *err)
{
    session s = {.path = path, .overrides = overrides, .n_overrides = n_overrides, .out = out};
    *out = (egc_script){0};
    egc_status status = read_file(path, &s.source, err);
    if (!status)
        status = egc_device_list_load(&s.devices, err);
    if (!status)
        status = egc_lua_new(&s.L, err);
    if (!status)
        status = load_experiments(&s, err);
    egc_lua_free(s.L);
    egc_device_list_fini(&s.devices);
    egc_buf_fini(&s.source);
    if (status)
        egc_script_fini(out);
    return status;
}

void egc_script_fini(egc_script *script)
{
    for (size_t i = 0; script->experiments && i < script->n_experiments; i++)
        egc_experiment_fini(&script->experiments[i]);
    egc_free(script->experiments);
    *script = (egc_script){0};
}
