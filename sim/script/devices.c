/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scripts/devices.lua is embedded as bytes, run in a bare Lua state, and read by the parameter
 * table of devices: each number is {value = ..., source = "..."}. */
#include "script/devices.h"

#include <lauxlib.h>
#include <stdio.h>

#include "base/text.h"
#include "script/convert.h"
#include "script/state.h"

#define FILE_NAME "devices.lua"

/* The bytes of scripts/devices.lua, made by embed.cmake. */
extern const char egc_devices_lua[];
extern const size_t egc_devices_lua_length;

typedef struct loading {
    egc_arena *arena;
    const egc_spec *spec;
} loading;

static egc_status run_file(lua_State *L, void *arg, egc_error *err)
{
    loading *load = arg;
    if (luaL_loadbufferx(L, egc_devices_lua, egc_devices_lua_length, "@" FILE_NAME, "t"))
        return lua_error(L);
    lua_call(L, 0, 1);
    /* list */
    return egc_convert_to_spec(L, load->arena, "", FILE_NAME, &load->spec, err);
}

static egc_status get_text(const egc_spec *table, const char *path, const char **out,
                           egc_error *err)
{
    const egc_spec *value = egc_spec_at(table, path);
    if (!value || value->kind != EGC_SPEC_SCALAR || value->scalar.kind != EGC_SCALAR_TEXT)
        return egc_fail(err, EGC_ERROR_FORMAT, FILE_NAME ": %s must be text", path);
    *out = value->scalar.text;
    return EGC_OK;
}

static egc_status read_number(const egc_spec *table, const egc_param *param, egc_device *device,
                              const char **source, egc_error *err)
{
    char path[64];
    snprintf(path, sizeof path, "%s.source", param->name);
    egc_status status = get_text(table, path, source, err);
    snprintf(path, sizeof path, "%s.value", param->name);
    const egc_spec *value = egc_spec_at(table, path);
    if (status)
        return status;
    if (!value || value->kind != EGC_SPEC_SCALAR)
        return egc_fail(err, EGC_ERROR_FORMAT, FILE_NAME ": %s must be a number", path);
    if (egc_param_set(param, device, &value->scalar, err))
        return egc_error_prefix(err, FILE_NAME ": %s", path);
    return EGC_OK;
}

static egc_status read_profile(egc_arena *arena, const egc_spec *table, egc_device_profile *out,
                               egc_error *err)
{
    size_t n = 0;
    while (egc_device_params[n].name)
        n++;
    const char **sources = egc_arena_alloc(arena, n * sizeof *sources);
    if (!sources)
        return egc_fail_memory(err, n * sizeof *sources);
    out->sources = sources;
    egc_status status = get_text(table, "name", &out->name, err);
    if (!status)
        status = get_text(table, "summary", &out->summary, err);
    for (size_t i = 0; i < n && !status; i++)
        status = read_number(table, &egc_device_params[i], &out->device, &sources[i], err);
    return status;
}

static egc_status read_profiles(egc_devices *list, const egc_spec *spec, egc_error *err)
{
    egc_device_profile *profiles =
        egc_arena_alloc(&list->arena, (spec->n_fields + 1) * sizeof *profiles);
    if (!profiles)
        return egc_fail_memory(err, (spec->n_fields + 1) * sizeof *profiles);
    list->profiles = profiles;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < spec->n_fields && !status; i++)
        status = read_profile(&list->arena, spec->fields[i].value, &profiles[i], err);
    return status;
}

egc_status egc_devices_load(egc_devices *out, egc_error *err)
{
    lua_State *L;
    *out = (egc_devices){0};
    loading load = {.arena = &out->arena};
    egc_status status = egc_state_new(&L, err);
    if (status)
        return status;
    status = egc_state_protect(L, run_file, &load, err);
    egc_state_free(L);
    if (!status)
        status = read_profiles(out, load.spec, err);
    if (status)
        egc_devices_fini(out);
    return status;
}

void egc_devices_fini(egc_devices *list)
{
    egc_arena_fini(&list->arena);
    list->profiles = NULL;
}

void egc_devices_describe(const egc_device_profile *profile, egc_buf *out)
{
    for (size_t i = 0; egc_device_params[i].name; i++) {
        const egc_param *param = &egc_device_params[i];
        egc_text_put(out, "  %-12s ", param->name);
        egc_param_format(param, &profile->device, out);
        egc_text_put(out, " %s  (%s)\n", egc_quantity_symbol(param->quantity), profile->sources[i]);
    }
}
