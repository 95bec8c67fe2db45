/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the script once, keeps its experiments in the Lua registry, and converts, overrides and
 * builds them one by one. Each step that may raise a Lua error runs under egc_state_protect. */
#include "script/script.h"

#include <lauxlib.h>
#include <string.h>

#include "base/mem.h"
#include "experiment/spec/build.h"
#include "script/api.h"
#include "script/point_table.h"
#include "script/session.h"
#include "script/simulate.h"
#include "script/state.h"

/* Keys of the registry: the list of experiments, and the filter `where` of the one being built. */
static const char list_key, filter_key;

typedef struct loading {
    egc_session session;
    egc_script *out;
} loading;

/* ---- running the script -------------------------------------------------------------------- */

static bool is_experiment(lua_State *L, int index)
{
    const char *constructor, *where;
    return egc_api_made(L, index, &constructor, &where) && strcmp(constructor, "experiment") == 0;
}

/* True for {experiment, ...}. */
static bool is_list(lua_State *L)
{
    /* value */
    const char *constructor, *where;
    if (!lua_istable(L, -1) || egc_api_made(L, -1, &constructor, &where) || lua_rawlen(L, -1) == 0)
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

/* Lets `require` look beside the script first, whatever the working directory is. */
static void search_beside_script(lua_State *L, const char *path)
{
    const char *slash = strrchr(path, '/');
    lua_getglobal(L, "package");
    lua_pushlstring(L, path, slash ? (size_t)(slash - path) + 1 : 0);
    lua_pushliteral(L, "?.lua;");
    lua_getfield(L, -3, "path");
    /* package, folder, "?.lua;", path */
    lua_concat(L, 3);
    lua_setfield(L, -2, "path");
    lua_pop(L, 1);
}

/* Leaves the list of experiments in the registry. A script that called egc.simulate may return
 * none. */
static egc_status run_script(lua_State *L, void *arg, egc_error *err)
{
    loading *load = arg;
    egc_session *session = &load->session;
    egc_api_open(L, egc_simulate, session);
    search_beside_script(L, session->path);
    const char *chunk_name = lua_pushfstring(L, "@%s", session->path);
    const char *source = (const char *)session->source.data;
    if (*source == *LUA_SIGNATURE)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: must be Lua text, got a compiled chunk",
                        session->path);
    if (luaL_loadbufferx(L, source, session->source.len - 1, chunk_name, "t"))
        return lua_error(L);
    lua_call(L, 0, 1);
    /* chunk name, result */
    if (lua_isnil(L, -1) && session->simulated)
        return EGC_OK;
    if (is_experiment(L, -1)) {
        lua_createtable(L, 1, 0);
        lua_insert(L, -2);
        lua_rawseti(L, -2, 1);
    }
    if (!is_list(L))
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "%s: must return egc.experiment{...} or a list of them, got %s",
                        session->path, lua_isnil(L, -1) ? "nothing" : luaL_typename(L, -1));
    load->out->n_experiments = lua_rawlen(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &list_key);
    return EGC_OK;
}

/* ---- one experiment ------------------------------------------------------------------------ */

typedef struct conversion {
    const egc_session *session;
    egc_experiment *experiment;
    size_t index;
    const egc_spec *root;
    bool has_filter;
} conversion;

/* experiment -> experiment. Puts its filter `where` into the registry. */
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
    lua_rawgetp(L, LUA_REGISTRYINDEX, &list_key);
    lua_rawgeti(L, -1, (lua_Integer)c->index + 1);
    /* list, experiment */
    egc_status status = egc_session_convert(L, c->session, &c->experiment->arena, &c->root, err);
    return status ? status : keep_filter(L, c, err);
}

typedef struct filter_call {
    const egc_train_config *config;
    bool *keep;
} filter_call;

static egc_status call_filter(lua_State *L, void *arg, egc_error *err)
{
    filter_call *call = arg;
    (void)err;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &filter_key);
    egc_point_table_push(L, call->config);
    /* where, point */
    lua_call(L, 1, 1);
    *call->keep = lua_toboolean(L, -1);
    return EGC_OK;
}

static egc_status filter_point(void *arg, const egc_train_config *config, bool *keep,
                               egc_error *err)
{
    filter_call call = {config, keep};
    return egc_state_protect(arg, call_filter, &call, err);
}

static egc_status load_experiment(const egc_session *session, size_t index,
                                  egc_experiment *experiment, egc_error *err)
{
    conversion c = {.session = session, .experiment = experiment, .index = index};
    char *name = egc_session_name(session, &experiment->arena);
    egc_status status = name ? egc_session_begin(session, experiment, err)
                             : egc_fail_memory(err, strlen(session->path));
    if (!status)
        status = egc_state_protect(session->L, convert_experiment, &c, err);
    if (status)
        return status;
    return egc_spec_build(experiment, c.root, name, session->devices.profiles,
                          c.has_filter ? filter_point : NULL, session->L, err);
}

/* ---- all experiments ------------------------------------------------------------------------ */

static egc_status check_names(const egc_script *script, const char *path, egc_error *err)
{
    for (size_t i = 0; i < script->n_experiments; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(script->experiments[i].name, script->experiments[j].name) == 0)
                return egc_fail(err, EGC_ERROR_NAME,
                                "%s: experiments must have different names, got two called \"%s\"",
                                path, script->experiments[i].name);
    return EGC_OK;
}

static egc_status load_experiments(loading *load, egc_error *err)
{
    egc_script *out = load->out;
    egc_status status = egc_state_protect(load->session.L, run_script, load, err);
    if (status)
        return status;
    out->experiments = egc_calloc(out->n_experiments, sizeof *out->experiments);
    if (!out->experiments)
        return egc_fail_memory(err, out->n_experiments * sizeof *out->experiments);
    for (size_t i = 0; i < out->n_experiments && !status; i++)
        status = load_experiment(&load->session, i, &out->experiments[i], err);
    return status ? status : check_names(out, load->session.path, err);
}

egc_status egc_script_load(const char *path, const char *const *overrides, size_t n_overrides,
                           egc_script *out, egc_error *err)
{
    loading load = {
        .session = {.path = path, .overrides = overrides, .n_overrides = n_overrides},
        .out = out,
    };
    egc_session *session = &load.session;
    *out = (egc_script){0};
    egc_status status = egc_buf_read_file(&session->source, path, err);
    if (!status)
        status = egc_buf_append(&session->source, "", 1, err);
    if (!status)
        status = egc_devices_load(&session->devices, err);
    if (!status)
        status = egc_state_new(&session->L, err);
    if (!status)
        status = load_experiments(&load, err);
    egc_state_free(session->L);
    egc_devices_fini(&session->devices);
    egc_buf_fini(&session->source);
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
