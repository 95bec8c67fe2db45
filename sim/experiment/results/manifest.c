/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters that all points share are written once; each point lists the others. The start and end
 * of a run are in UTC. */
#include "experiment/results/manifest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/file/path.h"
#include "base/mem.h"
#include "base/text.h"
#include "experiment/spec/identity.h"
#include "train/core/exchange_choice.h"

static json_t *now(void)
{
    char stamp[32];
    time_t seconds = time(NULL);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return json_string(stamp);
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Adds PREFIX.NAME for each row of a table. */
static void add_params(egc_json_writer *json, json_t *out, const char *prefix,
                       const egc_param *table, const void *object)
{
    for (const egc_param *param = table; param && param->name; param++) {
        egc_buf name = {0}, value = {0};
        egc_text_put(&name, "%s%s", prefix, param->name);
        egc_param_format(param, object, &value);
        json->failed |= name.missing || value.missing;
        egc_json_set_text(json, out, egc_text_get(&name), egc_text_get(&value));
        egc_buf_fini(&name);
        egc_buf_fini(&value);
    }
}

/* Every parameter of a point, defaults included, by its path in `--set`. */
static json_t *parameters(egc_json_writer *json, const egc_train_config *config)
{
    json_t *out = json_object();
    egc_identity_part parts[EGC_IDENTITY_PARTS];
    egc_identity_parts(config, egc_exchange_choice_asked(config), parts);
    for (int i = 0; i < EGC_IDENTITY_PARTS; i++) {
        const char *name = parts[i].name;
        if (name && *name)
            egc_json_set_text(json, out, parts[i].path, name);
        if (name && parts[i].params)
            add_params(json, out, parts[i].prefix, parts[i].table, parts[i].params);
    }
    return out;
}

/* Moves the parameters that all points have in common out of them. */
static json_t *take_common(egc_json_writer *json, json_t *points)
{
    json_t *common = json_object_get(json_array_get(points, 0), "parameters");
    size_t i;
    json_t *point, *value;
    const char *key;
    void *next;
    common = common ? json_copy(common) : json_object();
    json->failed |= !common;
    json_array_foreach(points, i, point)
    {
        json_t *mine = json_object_get(point, "parameters");
        json_object_foreach_safe(common, next, key, value)
        {
            if (!json_equal(value, json_object_get(mine, key)))
                json_object_del(common, key);
        }
    }
    json_object_foreach(common, key, value)
    {
        for (i = 0; i < json_array_size(points); i++)
            json_object_del(json_object_get(json_array_get(points, i), "parameters"), key);
    }
    return common;
}

static json_t *points_of(egc_json_writer *json, const egc_experiment *experiment,
                         const egc_results_plan *plan)
{
    json_t *points = json_array();
    for (size_t i = 0; i < experiment->n_points; i++) {
        size_t dense = plan->points[i].dense;
        json_t *point = json_object();
        egc_json_set_text(json, point, "run_id", plan->points[i].run_id);
        egc_json_set(json, point, "dense_run_id",
                     dense == EGC_NO_POINT ? json_null()
                                           : egc_json_text(plan->points[dense].run_id));
        egc_json_set(json, point, "parameters", parameters(json, &experiment->points[i].config));
        egc_json_add(json, points, point);
    }
    return points;
}

/* The distinct seeds, in the order of the points. */
static json_t *seeds_of(egc_json_writer *json, const egc_experiment *experiment)
{
    json_t *seeds = json_array();
    egc_index seen = {0};
    for (size_t i = 0; i < experiment->n_points; i++) {
        char key[32];
        int64_t seed = experiment->points[i].config.options.seed;
        snprintf(key, sizeof key, "%lld", (long long)seed);
        if (egc_index_add(&seen, key, i) == i)
            egc_json_add(json, seeds, json_integer(seed));
    }
    egc_index_fini(&seen);
    return seeds;
}

/* ---- the manifest ---------------------------------------------------------------------------- */

static json_t *versions_of(egc_json_writer *json, const egc_provenance *provenance)
{
    json_t *versions = json_object();
    for (size_t i = 0; i < provenance->n_versions; i++)
        egc_json_set_text(json, versions, provenance->versions[i].name,
                          provenance->versions[i].version);
    return versions;
}

static json_t *host(egc_json_writer *json)
{
    struct utsname name;
    json_t *out = json_object();
    if (uname(&name) != 0)
        return out;
    egc_json_set_text(json, out, "name", name.nodename);
    egc_json_set_text(json, out, "system", name.sysname);
    egc_json_set_text(json, out, "release", name.release);
    egc_json_set_text(json, out, "machine", name.machine);
    return out;
}

static json_t *names_of(egc_json_writer *json, const char *const *names, size_t n)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++)
        egc_json_add(json, out, egc_json_text(names[i]));
    return out;
}

static json_t *shard_of(egc_json_writer *json, egc_shard shard)
{
    if (shard.count <= 1)
        return json_null();
    json_t *out = json_object();
    egc_json_set(json, out, "index", json_integer((json_int_t)shard.index));
    egc_json_set(json, out, "count", json_integer((json_int_t)shard.count));
    return out;
}

static egc_status check(const egc_json_writer *json, egc_error *err)
{
    return egc_json_check(json, "the manifest", err);
}

egc_status egc_manifest_new(const egc_experiment *experiment, const egc_results_plan *plan,
                            const egc_provenance *provenance, egc_shard shard, json_t **out,
                            egc_error *err)
{
    egc_json_writer json = {0};
    json_t *manifest = json_object(), *points = points_of(&json, experiment, plan);
    json_t *common = take_common(&json, points);
    egc_json_set_text(&json, manifest, "experiment", experiment->name);
    egc_json_set_text(&json, manifest, "script", experiment->source_path);
    egc_json_set_text(&json, manifest, "source", experiment->source);
    egc_json_set(&json, manifest, "start", now());
    egc_json_set(&json, manifest, "end", json_null());
    egc_json_set(&json, manifest, "resumed", json_integer(0));
    egc_json_set(&json, manifest, "host", host(&json));
    egc_json_set_text(&json, manifest, "kernels", provenance->kernels);
    egc_json_set(&json, manifest, "versions", versions_of(&json, provenance));
    egc_json_set(&json, manifest, "shard", shard_of(&json, shard));
    egc_json_set(&json, manifest, "axes", names_of(&json, experiment->axes, experiment->n_axes));
    egc_json_set(&json, manifest, "columns", names_of(&json, plan->axes, plan->n_axes));
    egc_json_set(&json, manifest, "seeds", seeds_of(&json, experiment));
    egc_json_set(&json, manifest, "parameters", common);
    egc_json_set(&json, manifest, "points", points);
    egc_json_set(&json, manifest, "wall_s", json_object());
    egc_json_set(&json, manifest, "failures", json_array());
    if (json.failed)
        json_decref(manifest);
    else
        *out = manifest;
    return check(&json, err);
}

void egc_manifest_continue(json_t *manifest, const json_t *earlier)
{
    json_t *start = json_object_get(earlier, "start");
    json_int_t resumed = json_integer_value(json_object_get(earlier, "resumed"));
    if (start)
        json_object_set(manifest, "start", start);
    json_integer_set(json_object_get(manifest, "resumed"), resumed + 1);
}

egc_status egc_manifest_update(json_t *manifest, const egc_results *results, egc_error *err)
{
    const egc_results_plan *plan = results->plan;
    egc_json_writer json = {0};
    json_t *times = json_object(), *failures = json_array();
    for (size_t i = 0; i < plan->n_points; i++) {
        const egc_point_state *state = &results->states[i];
        if (!state->is_finished)
            continue;
        egc_json_set(&json, times, plan->points[i].run_id, egc_json_real(state->wall_s));
        if (strcmp(state->status, "ok") == 0)
            continue;
        json_t *failure = json_object();
        egc_json_set_text(&json, failure, "run_id", plan->points[i].run_id);
        egc_json_set_text(&json, failure, "status", state->status);
        egc_json_set_text(&json, failure, "error", state->error);
        egc_json_add(&json, failures, failure);
    }
    egc_json_set(&json, manifest, "wall_s", times);
    egc_json_set(&json, manifest, "failures", failures);
    return check(&json, err);
}

egc_status egc_manifest_end(json_t *manifest, egc_error *err)
{
    egc_json_writer json = {0};
    egc_json_set(&json, manifest, "end", now());
    return check(&json, err);
}

double egc_manifest_wall_s(const json_t *manifest, const char *run_id)
{
    json_t *value = json_object_get(json_object_get(manifest, "wall_s"), run_id);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

egc_status egc_manifest_write(const json_t *manifest, const char *dir, egc_error *err)
{
    return egc_json_save(manifest, egc_path_of("%s/manifest.json", dir).text, err);
}

egc_status egc_manifest_read(const char *dir, json_t **out, egc_error *err)
{
    return egc_json_load(egc_path_of("%s/manifest.json", dir).text, out, err);
}

/* ---- the plan of a manifest ------------------------------------------------------------------ */

static egc_status read_columns(const json_t *columns, egc_arena *arena, egc_results_plan *out,
                               egc_error *err)
{
    size_t n = json_array_size(columns);
    const char **axes = egc_arena_alloc(arena, (n + 1) * sizeof *axes);
    if (!axes)
        return egc_fail_memory(err, (n + 1) * sizeof *axes);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(columns, i));
        if (!name)
            return egc_fail(err, EGC_ERROR_FORMAT, "manifest.json: column %zu must be text", i + 1);
        axes[i] = egc_arena_strdup(arena, name);
        if (!axes[i])
            return egc_fail_memory(err, strlen(name));
    }
    out->axes = axes;
    out->n_axes = n;
    return EGC_OK;
}

/* Copies the run_ids into the plan and indexes them. */
static egc_status read_run_ids(const json_t *points, egc_results_plan *out, egc_index *index,
                               egc_error *err)
{
    for (size_t i = 0; i < out->n_points; i++) {
        const char *run_id =
            json_string_value(json_object_get(json_array_get(points, i), "run_id"));
        if (!run_id || strlen(run_id) != EGC_RUN_ID_LENGTH - 1)
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "manifest.json: point %zu must have a run_id of %d digits", i + 1,
                            EGC_RUN_ID_LENGTH - 1);
        memcpy(out->points[i].run_id, run_id, EGC_RUN_ID_LENGTH);
        egc_index_add(index, run_id, i);
    }
    return egc_index_check(index, err);
}

egc_status egc_manifest_plan(const json_t *manifest, egc_arena *arena, egc_results_plan *out,
                             egc_error *err)
{
    const json_t *points = json_object_get(manifest, "points");
    size_t n = json_array_size(points);
    egc_index index = {0};
    *out = (egc_results_plan){.n_points = n};
    egc_status status = read_columns(json_object_get(manifest, "columns"), arena, out, err);
    out->points = egc_arena_alloc(arena, (n + 1) * sizeof *out->points);
    if (!status && !out->points)
        status = egc_fail_memory(err, (n + 1) * sizeof *out->points);
    if (!status)
        status = read_run_ids(points, out, &index, err);
    for (size_t i = 0; i < n && !status; i++) {
        const json_t *dense = json_object_get(json_array_get(points, i), "dense_run_id");
        out->points[i].dense = egc_index_find(&index, json_string_value(dense));
        out->points[i].is_wanted = true;
    }
    egc_index_fini(&index);
    return status;
}
