/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dense run of a point has method "none" and the same value on every axis that is not of the
 * method; an index of those values finds it. */
#include "experiment/results/plan.h"

#include <string.h>

#include "base/text.h"

static bool is_method_axis(const char *axis)
{
    return strcmp(axis, "method") == 0 || strncmp(axis, "method.", strlen("method.")) == 0;
}

/* Writes the values of all axes that are not of the method: a row of CSV, so that texts differ if
 * any value does. */
static void format_setting(const egc_experiment *experiment, const egc_point *point, egc_buf *out)
{
    egc_buf_clear(out);
    for (size_t i = 0; i < experiment->n_axes; i++)
        if (!is_method_axis(experiment->axes[i]))
            egc_text_put_field(out, point->axis_values[i]);
    egc_text_put(out, ".");
}

static egc_status match_dense(const egc_experiment *experiment, egc_planned_point *points,
                              egc_error *err)
{
    egc_index dense = {0};
    egc_buf setting = {0};
    egc_status status = EGC_OK;
    for (size_t i = 0; i < experiment->n_points && !status; i++) {
        format_setting(experiment, &experiment->points[i], &setting);
        status = egc_buf_check(&setting, err);
        if (strcmp(experiment->points[i].config.method.name, "none") == 0)
            egc_index_add(&dense, egc_text_get(&setting), i);
    }
    for (size_t i = 0; i < experiment->n_points && !status; i++) {
        format_setting(experiment, &experiment->points[i], &setting);
        points[i].dense = egc_index_find(&dense, egc_text_get(&setting));
    }
    if (!status)
        status = egc_index_check(&dense, err);
    egc_index_fini(&dense);
    egc_buf_fini(&setting);
    return status;
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
