/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of all shards become records of the new folder, which are published as after a whole
 * run. The manifest is that of the first shard, widened. */
#include "experiment/results/merge.h"

#include <string.h>

#include "base/file/path.h"
#include "experiment/results/import.h"
#include "experiment/results/manifest.h"

/* The members that must be equal in the manifests of all shards. */
static const char *const identity[] = {"experiment", "columns", "parameters", "points"};

static egc_status check_same(const json_t *a, const json_t *b, const char *dir_a, const char *dir_b,
                             egc_error *err)
{
    for (size_t i = 0; i < sizeof identity / sizeof *identity; i++)
        if (!json_equal(json_object_get(a, identity[i]), json_object_get(b, identity[i])))
            return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                            "%s: must be a shard of the same experiment as %s; their %s differ",
                            dir_b, dir_a, identity[i]);
    return EGC_OK;
}

/* Widens the manifest to the earliest start and the latest end. Times in UTC sort as text. */
static void widen(json_t *whole, const json_t *other)
{
    json_t *start = json_object_get(other, "start"), *end = json_object_get(other, "end");
    json_t *first = json_object_get(whole, "start"), *last = json_object_get(whole, "end");
    if (json_is_string(start) && json_is_string(first) &&
        strcmp(json_string_value(start), json_string_value(first)) < 0)
        json_object_set(whole, "start", start);
    if (json_is_string(end) &&
        (!json_is_string(last) || strcmp(json_string_value(end), json_string_value(last)) > 0))
        json_object_set(whole, "end", end);
}

static egc_status read_whole(const char *const *dirs, size_t n_dirs, json_t **out, egc_error *err)
{
    egc_status status = egc_manifest_read(dirs[0], out, err);
    for (size_t i = 1; i < n_dirs && !status; i++) {
        json_t *other = NULL;
        status = egc_manifest_read(dirs[i], &other, err);
        if (!status)
            status = check_same(*out, other, dirs[0], dirs[i], err);
        if (!status)
            widen(*out, other);
        json_decref(other);
    }
    if (!status)
        json_object_set_new(*out, "shard", json_null());
    return status;
}

static void find_tables(const char *const *dirs, size_t n_dirs, egc_results_plan *plan)
{
    for (size_t i = 0; i < n_dirs; i++)
        for (int t = 0; t < EGC_N_TABLES; t++)
            plan->has_table[t] |=
                egc_path_exists(egc_path_of("%s/%s", dirs[i], egc_columns_tables[t].file).text);
}

static egc_status check_complete(const egc_results *results, egc_error *err)
{
    const egc_results_plan *plan = results->plan;
    size_t n_missing = 0, first = 0;
    for (size_t i = plan->n_points; i-- > 0;)
        if (!results->states[i].is_finished) {
            n_missing++;
            first = i;
        }
    if (n_missing == 0)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "%zu of %zu points are in none of the folders, the first is %s; add the "
                    "missing shards, or finish them with --resume",
                    n_missing, plan->n_points, plan->points[first].run_id);
}

/* Imports and publishes the shards, and writes the manifest. */
static egc_status join(egc_results *results, const char *const *dirs, size_t n_dirs,
                       json_t *manifest, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n_dirs && !status; i++)
        status = egc_results_import(results, dirs[i], true, err);
    if (!status)
        status = check_complete(results, err);
    if (!status)
        status = egc_results_publish(results, err);
    if (!status)
        status = egc_manifest_update(manifest, results, err);
    if (!status)
        status = egc_manifest_write(manifest, results->dir.text, err);
    egc_error ignored; /* the first failure is reported */
    egc_status forgotten = status ? egc_path_remove_tree(results->spool.text, &ignored)
                                  : egc_results_forget_records(results, err);
    return status ? status : forgotten;
}

egc_status egc_results_merge(const char *const *dirs, size_t n_dirs, const char *out_dir,
                             egc_error *err)
{
    if (n_dirs == 0)
        return egc_fail(err, EGC_ERROR_RANGE, "merge must be given at least one folder");
    egc_arena arena = {0};
    egc_results_plan plan = {0};
    egc_results *results = NULL;
    json_t *manifest = NULL;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n_dirs && !status; i++)
        status = egc_path_check(dirs[i], err);
    if (!status)
        status = read_whole(dirs, n_dirs, &manifest, err);
    if (!status)
        status = egc_manifest_plan(manifest, &arena, &plan, err);
    find_tables(dirs, n_dirs, &plan);
    if (!status)
        status = egc_results_open(out_dir, &plan, false, &results, err);
    if (!status)
        status = join(results, dirs, n_dirs, manifest, err);
    egc_results_close(results);
    json_decref(manifest);
    egc_arena_fini(&arena);
    return status;
}
