/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dense run of a point has method "none" and the same value on every axis that is not of the
 * method; a hash of those values finds it. */
#include "experiment/results/plan.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"

static bool is_method_axis(const char *axis)
{
    return strcmp(axis, "method") == 0 || strncmp(axis, "method.", strlen("method.")) == 0;
}

/* Equal for points that differ only in the method. */
static uint64_t setting_hash(const egc_experiment *experiment, const egc_point *point)
{
    uint64_t hash = EGC_HASH_START;
    for (size_t i = 0; i < experiment->n_axes; i++)
        if (!is_method_axis(experiment->axes[i]))
            hash = egc_hash(hash, point->axis_values[i], strlen(point->axis_values[i]) + 1);
    return hash;
}

static bool is_same_setting(const egc_experiment *experiment, const egc_point *a,
                            const egc_point *b)
{
    for (size_t i = 0; i < experiment->n_axes; i++)
        if (!is_method_axis(experiment->axes[i]) &&
            strcmp(a->axis_values[i], b->axis_values[i]) != 0)
            return false;
    return true;
}

typedef struct dense_run {
    size_t point;
    uint64_t setting;
} dense_run;

static size_t find_dense(const egc_experiment *experiment, const egc_point *point,
                         const dense_run *runs, size_t n_runs)
{
    uint64_t setting = setting_hash(experiment, point);
    for (size_t i = 0; i < n_runs; i++)
        if (runs[i].setting == setting &&
            is_same_setting(experiment, point, &experiment->points[runs[i].point]))
            return runs[i].point;
    return EGC_NO_POINT;
}

static egc_status match_dense(const egc_experiment *experiment, egc_planned_point *points,
                              egc_error *err)
{
    dense_run *runs = egc_calloc(experiment->n_points, sizeof *runs);
    if (!runs)
        return egc_fail_memory(err, experiment->n_points * sizeof *runs);
    size_t n_runs = 0;
    for (size_t i = 0; i < experiment->n_points; i++) {
        const egc_point *point = &experiment->points[i];
        if (strcmp(point->config.method.name, "none") == 0)
            runs[n_runs++] = (dense_run){i, setting_hash(experiment, point)};
    }
    for (size_t i = 0; i < experiment->n_points; i++)
        points[i].dense = find_dense(experiment, &experiment->points[i], runs, n_runs);
    egc_free(runs);
    return EGC_OK;
}

/* The axes that have no column in egc_columns_tables, then EGC_REPRODUCIBLE_COLUMN if some times
 * are measured. */
static egc_status list_axes(const egc_experiment *experiment, egc_arena *arena,
                            egc_results_plan *out, egc_error *err)
{
    size_t bytes = (experiment->n_axes + 1) * sizeof(char *);
    const char **names = egc_arena_alloc(arena, bytes);
    if (!names)
        return egc_fail_memory(err, bytes);
    for (size_t i = 0; i < experiment->n_axes; i++)
        if (!egc_columns_has_axis(experiment->axes[i]))
            names[out->n_axes++] = experiment->axes[i];
    if (egc_experiment_is_measured(experiment))
        names[out->n_axes++] = EGC_REPRODUCIBLE_COLUMN;
    out->axes = names;
    return EGC_OK;
}

void egc_results_plan_put_header(const egc_results_plan *plan, egc_table table, egc_buf *row)
{
    egc_columns_put_names(table, row);
    for (size_t i = 0; i < plan->n_axes && table == EGC_TABLE_RUNS; i++)
        egc_text_put_field(row, plan->axes[i]);
    egc_text_end_row(row);
}

egc_status egc_results_plan_new(const egc_experiment *experiment, egc_arena *arena,
                                egc_results_plan *out, egc_error *err)
{
    size_t n = experiment->n_points;
    *out = (egc_results_plan){.n_points = n};
    egc_status status = list_axes(experiment, arena, out, err);
    if (status)
        return status;
    out->points = egc_arena_alloc(arena, (n + 1) * sizeof *out->points);
    if (!out->points)
        return egc_fail_memory(err, (n + 1) * sizeof *out->points);
    out->has_table[EGC_TABLE_RUNS] = out->has_table[EGC_TABLE_STEPS] = true;
    for (size_t i = 0; i < n; i++) {
        const egc_point *point = &experiment->points[i];
        memcpy(out->points[i].run_id, point->run_id, EGC_RUN_ID_LENGTH);
        out->points[i].is_wanted = true;
        out->has_table[EGC_TABLE_LAYERS] |= point->config.options.layers;
        out->has_table[EGC_TABLE_EVALS] |= point->config.workload->closed_loop;
    }
    return match_dense(experiment, out->points, err);
}
