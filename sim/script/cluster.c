/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the specification egc.cluster.NAME{} by hand, applies the settings to it in a bare Lua
 * state, and resolves it as a part of an experiment is resolved. */
#include "script/cluster.h"

#include <lauxlib.h>
#include <string.h>

#include "script/api.h"
#include "script/devices.h"
#include "script/override.h"
#include "script/state.h"

typedef struct choosing {
    egc_arena *arena;
    const egc_spec *spec;
    const char *const *settings;
    size_t n_settings;
} choosing;

static int refuse_simulate(lua_State *L)
{
    return luaL_error(L, "egc.simulate has no use here");
}

static egc_status apply_settings(lua_State *L, void *arg, egc_error *err)
{
    choosing *c = arg;
    egc_status status = EGC_OK;
    egc_api_open(L, refuse_simulate, NULL);
    for (size_t i = 0; i < c->n_settings && !status; i++)
        status = egc_override_apply(L, c->arena, c->settings[i], &c->spec, err);
    return status;
}

egc_status egc_cluster_choose_by_settings(const char *name, const char *const *settings,
                                          size_t n_settings, egc_arena *arena,
                                          egc_cluster_choice *out, egc_error *err)
{
    lua_State *L;
    egc_devices devices = {0};
    const egc_spec plain = {.kind = EGC_SPEC_TABLE,
                            .constructor = egc_arena_printf(arena, "cluster.%s", name),
                            .where = egc_arena_strdup(arena, name)};
    choosing c = {arena, egc_spec_new(arena, &plain), settings, n_settings};
    if (!plain.constructor || !plain.where || !c.spec)
        return egc_fail_memory(err, sizeof plain);
    egc_status status = egc_state_new(&L, err);
    if (status)
        return status;
    status = egc_state_protect(L, apply_settings, &c, err);
    egc_state_free(L);
    if (!status)
        status = egc_devices_load(&devices, err);
    if (!status)
        status = egc_resolve_cluster(arena, devices.profiles, c.spec, out, err);
    egc_devices_fini(&devices);
    return status;
}
