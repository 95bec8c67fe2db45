/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each part of an experiment is found by its constructor ("method.topk"), looked up in the registry
 * of its kind, and configured by its parameter table. Errors carry the line of the script. */
#include "experiment/spec/resolve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "experiment/spec/constructor.h"
#include "experiment/spec/cost_file.h"
#include "net/topology/prepare.h"
#include "train/algorithm.h"
#include "train/core/exchange_choice.h"
#include "train/cost/cost_model.h"
#include "train/cost/cost_table.h"

/* Name of a device given as a table. */
#define CUSTOM_DEVICE "custom"

typedef struct part {
    const char *path; /* "workload" */
    const char *name; /* name of the registered type */
    const egc_spec *table;
} part;

/* Fails with "WHERE: PATH: must be EXPECTED, got VALUE". */
static egc_status must_be(const egc_spec *value, const char *path, const char *expected,
                          egc_error *err)
{
    egc_buf text = {0};
    char call[64];
    bool is_text = value->kind == EGC_SPEC_SCALAR && value->scalar.kind == EGC_SCALAR_TEXT;
    const char *quote = is_text ? "\"" : "";
    egc_constructor_call(value->constructor, call, sizeof call);
    if (value->kind == EGC_SPEC_SCALAR)
        egc_spec_put(value, &text);
    else
        egc_text_put(&text, "%s", call);
    egc_status status = egc_fail(err, EGC_ERROR_NAME, "%s: %s: must be %s, got %s%s%s",
                                 value->where, path, expected, quote, egc_text_get(&text), quote);
    egc_buf_fini(&text);
    return status;
}

static egc_status find_part(const egc_spec *point, const char *path, const char *expected,
                            part *out, egc_error *err)
{
    const egc_spec *value = egc_spec_get(point, path);
    if (!value)
        return egc_fail(err, EGC_ERROR_NAME, "%s: %s: is missing; must be %s", point->where, path,
                        expected);
    if (value->kind != EGC_SPEC_TABLE || !egc_constructor_builds(value->constructor, path))
        return must_be(value, path, expected, err);
    *out = (part){path, egc_constructor_name(value->constructor), value};
    return EGC_OK;
}

/* Parameters of `size` bytes in arena: the defaults, then the fields of the part but those in skip.
 */
static egc_status make_params(egc_arena *arena, const part *it, const egc_param *table, size_t size,
                              const char *const *skip, void **out, egc_error *err)
{
    *out = egc_arena_alloc(arena, size);
    if (!*out)
        return egc_fail_memory(err, size);
    egc_param_init(table, *out);
    return egc_spec_configure(arena, it->table, it->path, table, *out, skip, err);
}

static void format_files(uint64_t hash, char out[EGC_FILES_ID])
{
    if (hash)
        snprintf(out, EGC_FILES_ID, "%016" PRIx64, hash);
}

/* ---- workload and cluster ------------------------------------------------------------------ */

static egc_status resolve_workload(egc_arena *arena, const egc_spec *point,
                                   egc_train_config *config, egc_error *err)
{
    part workload;
    void *params;
    egc_status status = find_part(point, "workload", "egc.workload.NAME{...}", &workload, err);
    if (status)
        return status;
    if (egc_workload_find(workload.name, &config->workload, err))
        return egc_error_prefix(err, "%s: workload", workload.table->where);
    const egc_workload_type *type = config->workload;
    status = make_params(arena, &workload, type->params, type->params_size, NULL, &params, err);
    config->workload_params = params;
    if (status)
        return status;
    if (egc_workload_check(type, params, err))
        return egc_error_prefix(err, "%s: workload", workload.table->where);
    if (type->hash_files)
        format_files(type->hash_files(params), config->workload_files);
    return EGC_OK;
}

egc_status egc_resolve_device(egc_device_profiles profiles, const char *name,
                              const egc_device_profile **out, egc_error *err)
{
    char valid[EGC_ERROR_LENGTH] = "";
    for (const egc_device_profile *profile = profiles; profile->name; profile++) {
        if (strcmp(profile->name, name) == 0) {
            *out = profile;
            return EGC_OK;
        }
        size_t length = strlen(valid);
        snprintf(valid + length, sizeof valid - length, "%s%s", length ? ", " : "", profile->name);
    }
    return egc_fail(err, EGC_ERROR_NAME, "unknown device \"%s\"; valid: %s", name, valid);
}

static egc_status resolve_table_device(egc_arena *arena, const egc_spec *table, egc_device *out,
                                       egc_error *err)
{
    if (table->constructor)
        return must_be(table, "cluster.device", "a device's name or a plain table", err);
    egc_param_init(egc_device_params, out);
    for (const egc_param *param = egc_device_params; param->name; param++)
        if (isnan(param->def) && !egc_spec_get(table, param->name))
            return egc_fail(err, EGC_ERROR_RANGE, "%s: cluster.device.%s: is missing", table->where,
                            param->name);
    return egc_spec_configure(arena, table, "cluster.device", egc_device_params, out, NULL, err);
}

static egc_status resolve_device(egc_arena *arena, egc_device_profiles devices,
                                 const egc_spec *cluster, char name[EGC_TEXT_LENGTH],
                                 egc_device *out, egc_error *err)
{
    const egc_spec *device = egc_spec_get(cluster, "device");
    const egc_device_profile *profile;
    if (device && device->kind == EGC_SPEC_TABLE) {
        strcpy(name, CUSTOM_DEVICE);
        return resolve_table_device(arena, device, out, err);
    }
    if (egc_resolve_device(devices, name, &profile, err))
        return egc_error_prefix(err, "%s: cluster.device", (device ? device : cluster)->where);
    *out = profile->device;
    return EGC_OK;
}

egc_status egc_resolve_cluster(egc_arena *arena, egc_device_profiles devices, const egc_spec *table,
                               egc_cluster_choice *out, egc_error *err)
{
    const part cluster = {"cluster", egc_constructor_name(table->constructor), table};
    if (egc_cluster_find(cluster.name, &out->type, err))
        return egc_error_prefix(err, "%s: cluster", table->where);
    const egc_spec *device = egc_spec_get(table, "device");
    bool is_table = device && device->kind == EGC_SPEC_TABLE;
    const char *const skip[] = {is_table ? "device" : NULL, NULL};
    egc_status status = make_params(arena, &cluster, out->type->params, out->type->params_size,
                                    skip, &out->params, err);
    if (!status)
        status = resolve_device(arena, devices, table, ((egc_cluster_common *)out->params)->device,
                                &out->device, err);
    if (!status && egc_prepare_cluster(out->type, out->params, arena, err))
        return egc_error_prefix(err, "%s: cluster", table->where);
    return status;
}

static egc_status resolve_cluster(egc_arena *arena, egc_device_profiles devices,
                                  const egc_spec *point, egc_train_config *config, egc_error *err)
{
    part cluster;
    egc_cluster_choice choice;
    egc_status status = find_part(point, "cluster", "egc.cluster.NAME{...}", &cluster, err);
    if (!status)
        status = egc_resolve_cluster(arena, devices, cluster.table, &choice, err);
    if (status)
        return status;
    config->cluster = choice.type;
    config->cluster_params = choice.params;
    if (choice.type->hash_files)
        format_files(choice.type->hash_files(choice.params), config->cluster_files);
    config->device = choice.device;
    return EGC_OK;
}

/* ---- method -------------------------------------------------------------------------------- */

static egc_status set_method_field(egc_method *method, const egc_spec_field *field, egc_error *err)
{
    const egc_spec *value = field->value;
    if (!field->key)
        return egc_fail(err, EGC_ERROR_NAME,
                        "%s: method: egc.%s takes KEY = VALUE only, got a value without a key",
                        value->where, method->name);
    if (value->kind != EGC_SPEC_SCALAR) {
        char path[EGC_TEXT_LENGTH];
        snprintf(path, sizeof path, "method.%s", field->key);
        return must_be(value, path, "a number, text, true or false", err);
    }
    if (egc_method_set(method, field->key, &value->scalar, err))
        return egc_error_prefix(err, "%s: method.%s", value->where, field->key);
    return EGC_OK;
}

static egc_status resolve_method(const egc_spec *point, egc_train_config *config, egc_error *err)
{
    part method;
    egc_status status =
        find_part(point, "method", "a method's name or egc.NAME{...}", &method, err);
    if (status)
        return status;
    if (egc_method_init(&config->method, method.name, err))
        return egc_error_prefix(err, "%s: method", method.table->where);
    for (size_t i = 0; i < method.table->n_fields && !status; i++)
        status = set_method_field(&config->method, &method.table->fields[i], err);
    return status;
}

/* ---- the rest ------------------------------------------------------------------------------ */

static egc_status resolve_exchange(const egc_spec *point, egc_train_config *config, egc_error *err)
{
    const egc_spec *value = egc_spec_get(point, "exchange");
    if (value && (value->kind != EGC_SPEC_SCALAR || value->scalar.kind != EGC_SCALAR_TEXT))
        return must_be(value, "exchange", "\"auto\" or an exchange's name", err);
    if (!value || strcmp(value->scalar.text, "auto") == 0)
        return EGC_OK;
    if (egc_exchange_choice_find(value->scalar.text, &config->exchange, &config->sparse, err))
        return egc_error_prefix(err, "%s: exchange", value->where);
    return EGC_OK;
}

static egc_status resolve_algorithm(egc_arena *arena, const egc_spec *point,
                                    egc_train_config *config, egc_error *err)
{
    part algorithm;
    void *params;
    if (!egc_spec_get(point, "algorithm"))
        return EGC_OK;
    egc_status status =
        find_part(point, "algorithm", "an algorithm's name or egc.NAME{...}", &algorithm, err);
    if (status)
        return status;
    if (egc_algorithm_find(algorithm.name, &config->algorithm, err))
        return egc_error_prefix(err, "%s: algorithm", algorithm.table->where);
    const egc_algorithm_type *type = config->algorithm;
    status = make_params(arena, &algorithm, type->params, type->params_size, NULL, &params, err);
    config->algorithm_params = params;
    return status;
}

egc_status egc_resolve(egc_arena *arena, egc_device_profiles devices, const egc_spec *point,
                       egc_train_config *config, egc_error *err)
{
    *config = (egc_train_config){0};
    egc_param_init(egc_train_config_params, &config->options);
    egc_status status = egc_spec_configure(arena, point, "", egc_train_config_params,
                                           &config->options, egc_constructor_keys, err);
    if (!status)
        status = resolve_workload(arena, point, config, err);
    if (!status)
        status = resolve_cluster(arena, devices, point, config, err);
    if (!status)
        status = resolve_method(point, config, err);
    if (!status)
        status = resolve_exchange(point, config, err);
    return status ? status : resolve_algorithm(arena, point, config, err);
}

egc_status egc_resolve_cost(egc_arena *arena, const egc_spec *point, egc_train_config *config,
                            egc_error *err)
{
    const egc_train_options *options = &config->options;
    if (options->cost != EGC_COST_TABLE || egc_cost_model_is_free(&config->method))
        return EGC_OK;
    const egc_spec *named = egc_spec_get(point, "cost_table");
    const char *where = named ? named->where : egc_spec_get(point, "cost")->where;
    if (!*options->cost_table)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "%s: cost_table: is missing; with cost = \"table\" it must name a file "
                        "written by `egc-sim bench compressors --csv FILE`",
                        where);
    if (egc_cost_file_read(arena, options->cost_table, &config->method, &config->cost_curve, err))
        return egc_error_prefix(err, "%s: cost_table", where);
    return EGC_OK;
}
