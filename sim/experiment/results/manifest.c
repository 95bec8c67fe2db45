/* SPDX-License-Identifier: GPL-3.0-or-later */
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
#include "train/sync/exchange_choice.h"

/* Sets a member, taking value; out of memory is found by the caller through `failed`. */
static void set(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(object, key, value) != 0)
        *failed = true;
}

json_t *egc_json_text(const char *words)
{
    json_t *value = json_string(words);
    char *copy = value ? NULL : egc_strdup(words);
    for (char *byte = copy; byte && *byte; byte++)
        if ((unsigned char)*byte >= 0x80)
            *byte = '?';
    if (copy)
        value = json_string(copy);
    egc_free(copy);
    return value;
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *now(void)
{
    char stamp[32];
    time_t seconds = time(NULL);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return json_string(stamp);
}

static egc_status check(bool failed, egc_error *err)
{
    return failed ? egc_fail(err, EGC_ERROR_MEMORY, "out of memory for the manifest") : EGC_OK;
}

/* ---- parameters of a point ------------------------------------------------------------------- */

/* Adds PREFIX.NAME for each row of a table. */
static void add_params(json_t *out, const char *prefix, const egc_param *table, const void *object,
                       bool *failed)
{
    for (const egc_param *param = table; param && param->name; param++) {
        egc_buf name = {0}, value = {0};
        egc_text_put(&name, "%s%s", prefix, param->name);
        egc_param_format(param, object, &value);
        *failed |= egc_buf_check(&name, NULL) || egc_buf_check(&value, NULL);
        set(out, egc_text_get(&name), egc_json_text(egc_text_get(&value)), failed);
        egc_buf_fini(&name);
        egc_buf_fini(&value);
    }
}

/* Every parameter of a point, defaults included, by its path in `--set`. */
static json_t *parameters(const egc_train_config *config, bool *failed)
{
    json_t *out = json_object();
    egc_identity_part parts[EGC_IDENTITY_PARTS];
    egc_identity_parts(config, egc_exchange_choice_asked(config), parts);
    for (int i = 0; i < EGC_IDENTITY_PARTS; i++) {
        const char *name = parts[i].name;
        if (name && *name)
            set(out, parts[i].path, egc_json_text(name), failed);
        if (name && parts[i].params)
            add_params(out, parts[i].prefix, parts[i].table, parts[i].params, failed);
    }
    return out;
}

/* Moves the parameters that all points have in common out of them. */
static json_t *take_common(json_t *points, bool *failed)
{
    json_t *common = json_object_get(json_array_get(points, 0), "parameters");
    common = common ? json_copy(common) : json_object();
    size_t i;
    json_t *point, *value;
    const char *key;
    void *next;
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
    *failed |= common == NULL;
    return common;
}

static json_t *points_of(const egc_experiment *experiment, const egc_results_plan *plan,
                         bool *failed)
{
    json_t *points = json_array();
    for (size_t i = 0; i < experiment->n_points; i++) {
        size_t dense = plan->points[i].dense;
        json_t *point = json_object();
        set(point, "run_id", egc_json_text(plan->points[i].run_id), failed);
        set(point, "dense_run_id",
            dense == EGC_NO_POINT ? json_null() : egc_json_text(plan->points[dense].run_id),
            failed);
        set(point, "parameters", parameters(&experiment->points[i].config, failed), failed);
        *failed |= json_array_append_new(points, point) != 0;
    }
    return points;
}

/* The distinct seeds, in the order of the points. */
static json_t *seeds_of(const egc_experiment *experiment, bool *failed)
{
    json_t *seeds = json_array(), *seen = json_object();
    for (size_t i = 0; i < experiment->n_points; i++) {
        char key[32];
        int64_t seed = experiment->points[i].config.options.seed;
        snprintf(key, sizeof key, "%lld", (long long)seed);
        if (json_object_get(seen, key))
            continue;
        set(seen, key, json_true(), failed);
        *failed |= json_array_append_new(seeds, json_integer(seed)) != 0;
    }
    json_decref(seen);
    return seeds;
}

/* ---- the manifest ---------------------------------------------------------------------------- */

static json_t *versions_of(const egc_provenance *provenance, bool *failed)
{
    json_t *versions = json_object();
    for (size_t i = 0; i < provenance->n_versions; i++)
        set(versions, provenance->versions[i].name, egc_json_text(provenance->versions[i].version),
            failed);
    return versions;
}

static json_t *host(bool *failed)
{
    struct utsname name;
    json_t *out = json_object();
    if (uname(&name) != 0)
        return out;
    set(out, "name", egc_json_text(name.nodename), failed);
    set(out, "system", egc_json_text(name.sysname), failed);
    set(out, "release", egc_json_text(name.release), failed);
    set(out, "machine", egc_json_text(name.machine), failed);
    return out;
}

static json_t *names_of(const char *const *names, size_t n, bool *failed)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++)
        *failed |= json_array_append_new(out, egc_json_text(names[i])) != 0;
    return out;
}

static json_t *shard_of(egc_shard shard, bool *failed)
{
    if (shard.count <= 1)
        return json_null();
    json_t *out = json_object();
    set(out, "index", json_integer((json_int_t)shard.index), failed);
    set(out, "count", json_integer((json_int_t)shard.count), failed);
    return out;
}

egc_status egc_manifest_new(const egc_experiment *experiment, const egc_results_plan *plan,
                            const egc_provenance *provenance, egc_shard shard, json_t **out,
                            egc_error *err)
{
    bool failed = false;
    json_t *manifest = json_object(), *points = points_of(experiment, plan, &failed);
    set(manifest, "experiment", egc_json_text(experiment->name), &failed);
    set(manifest, "script", egc_json_text(experiment->source_path), &failed);
    set(manifest, "source", egc_json_text(experiment->source), &failed);
    set(manifest, "start", now(), &failed);
    set(manifest, "end", json_null(), &failed);
    set(manifest, "resumed", json_integer(0), &failed);
    set(manifest, "host", host(&failed), &failed);
    set(manifest, "kernels", egc_json_text(provenance->kernels), &failed);
    set(manifest, "versions", versions_of(provenance, &failed), &failed);
    set(manifest, "shard", shard_of(shard, &failed), &failed);
    set(manifest, "axes", names_of(experiment->axes, experiment->n_axes, &failed), &failed);
    set(manifest, "columns", names_of(plan->axes, plan->n_axes, &failed), &failed);
    set(manifest, "seeds", seeds_of(experiment, &failed), &failed);
    set(manifest, "parameters", take_common(points, &failed), &failed);
    set(manifest, "points", points, &failed);
    set(manifest, "wall_s", json_object(), &failed);
    set(manifest, "failures", json_array(), &failed);
    if (failed)
        json_decref(manifest);
    else
        *out = manifest;
    return check(failed, err);
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
    const egc_results_plan *plan = egc_results_get_plan(results);
    bool failed = false;
    json_t *times = json_object(), *failures = json_array();
    for (size_t i = 0; i < plan->n_points; i++) {
        const egc_point_state *state = egc_results_state(results, i);
        if (!state->is_finished)
            continue;
        set(times, plan->points[i].run_id, real_or_null(state->wall_s), &failed);
        if (strcmp(state->status, "ok") == 0)
            continue;
        json_t *failure = json_object();
        set(failure, "run_id", egc_json_text(plan->points[i].run_id), &failed);
        set(failure, "status", egc_json_text(state->status), &failed);
        set(failure, "error", egc_json_text(state->error), &failed);
        failed |= json_array_append_new(failures, failure) != 0;
    }
    set(manifest, "wall_s", times, &failed);
    set(manifest, "failures", failures, &failed);
    return check(failed, err);
}

egc_status egc_manifest_end(json_t *manifest, egc_error *err)
{
    bool failed = false;
    set(manifest, "end", now(), &failed);
    return check(failed, err);
}

double egc_manifest_wall_s(const json_t *manifest, const char *run_id)
{
    json_t *value = json_object_get(json_object_get(manifest, "wall_s"), run_id);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- the file -------------------------------------------------------------------------------- */

static egc_path manifest_path(const char *dir)
{
    return egc_path_of("%s/manifest.json", dir);
}

typedef struct dump_target {
    egc_atomic_file staged;
    egc_status status;
    egc_error *err;
} dump_target;

static int dump_piece(const char *data, size_t len, void *arg)
{
    dump_target *target = arg;
    target->status = egc_atomic_file_write(&target->staged, data, len, target->err);
    return target->status ? -1 : 0;
}

egc_status egc_manifest_write(const json_t *manifest, const char *dir, egc_error *err)
{
    dump_target target = {.err = err};
    egc_path path = manifest_path(dir);
    egc_status status = egc_atomic_file_open(&target.staged, path.text, err);
    if (status)
        return status;
    if (json_dump_callback(manifest, dump_piece, &target, JSON_INDENT(1)) != 0)
        status = target.status ? target.status : check(true, err);
    if (!status)
        status = egc_atomic_file_write(&target.staged, "\n", 1, err);
    return egc_atomic_file_end(&target.staged, status, err);
}

egc_status egc_manifest_read(const char *dir, json_t **out, egc_error *err)
{
    egc_path path = manifest_path(dir);
    json_error_t where;
    *out = json_load_file(path.text, 0, &where);
    if (*out)
        return EGC_OK;
    if (!egc_path_exists(path.text))
        return egc_fail_errno(err, "read", path.text);
    return egc_fail(err, EGC_ERROR_FORMAT, "%s:%d: %s", path.text, where.line, where.text);
}

/* ---- the plan a manifest describes ----------------------------------------------------------- */

static size_t find_run(const json_t *index, const json_t *run_id)
{
    const json_t *at =
        json_string_value(run_id) ? json_object_get(index, json_string_value(run_id)) : NULL;
    return at ? (size_t)json_integer_value(at) : EGC_NO_POINT;
}

static egc_status plan_columns(const json_t *columns, egc_arena *arena, egc_results_plan *out,
                               egc_error *err)
{
    out->n_axes = json_array_size(columns);
    const char **axes = egc_arena_alloc(arena, (out->n_axes + 1) * sizeof *axes);
    bool failed = axes == NULL;
    for (size_t i = 0; i < out->n_axes && !failed; i++) {
        const char *name = json_string_value(json_array_get(columns, i));
        axes[i] = name ? egc_arena_strdup(arena, name) : NULL;
        failed = axes[i] == NULL;
    }
    out->axes = axes;
    return check(failed, err);
}

/* Positions of the points by run id; FORMAT when a point has none. */
static egc_status index_points(const json_t *points, json_t *index, egc_error *err)
{
    bool failed = false;
    size_t i;
    json_t *point;
    json_array_foreach(points, i, point)
    {
        const char *run_id = json_string_value(json_object_get(point, "run_id"));
        if (!run_id || strlen(run_id) != EGC_RUN_ID_LENGTH - 1)
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "manifest.json: point %zu must have a run_id of %d digits", i + 1,
                            EGC_RUN_ID_LENGTH - 1);
        set(index, run_id, json_integer((json_int_t)i), &failed);
    }
    return check(failed, err);
}

egc_status egc_manifest_plan(const json_t *manifest, egc_arena *arena, egc_results_plan *out,
                             egc_error *err)
{
    json_t *points = json_object_get(manifest, "points"), *index = json_object();
    size_t n = json_array_size(points);
    *out = (egc_results_plan){.n_points = n};
    egc_status status = plan_columns(json_object_get(manifest, "columns"), arena, out, err);
    if (!status)
        status = index_points(points, index, err);
    out->points = egc_arena_alloc(arena, (n + 1) * sizeof *out->points);
    if (!status && !out->points)
        status = egc_fail_memory(err, (n + 1) * sizeof *out->points);
    for (size_t i = 0; i < n && !status; i++) {
        const json_t *point = json_array_get(points, i);
        memcpy(out->points[i].run_id, json_string_value(json_object_get(point, "run_id")),
               EGC_RUN_ID_LENGTH);
        out->points[i].dense = find_run(index, json_object_get(point, "dense_run_id"));
        out->points[i].is_wanted = true;
    }
    json_decref(index);
    return status;
}
