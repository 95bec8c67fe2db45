/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the two CSV files, finds the series and settings of their rows once, and then answers each
 * question by a scan of the rows. */
#include "plot/view.h"

#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/path.h"

/* ---- loading ------------------------------------------------------------------------------- */

static egc_status check_columns(const egc_csv_table *table, const char *const *names,
                                const char *path, egc_error *err)
{
    for (; *names; names++)
        if (egc_csv_column(table, *names) < 0)
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "%s: no column \"%s\"; this is not a file that egc-sim run wrote", path,
                            *names);
    return EGC_OK;
}

static egc_status read_runs(egc_view *view, const char *dir, egc_error *err)
{
    static const char *const needed[] = {
        "run_id",        "experiment", "workload", "model",   "method",
        "method_params", "algorithm",  "exchange", "cluster", "workers",
        "bandwidth_Bps", "status",     "speedup",  NULL};
    egc_path path = egc_path_of("%s/runs.csv", dir);
    egc_status status = egc_csv_read(path.text, &view->runs, err);
    if (!status)
        status = check_columns(&view->runs, needed, path.text, err);
    if (!status && view->runs.n_rows == 0)
        status = egc_fail(err, EGC_ERROR_FORMAT, "%s: no runs in it yet", path.text);
    return status;
}

static egc_status read_evals(egc_view *view, const char *dir, egc_error *err)
{
    static const char *const needed[] = {"run_id", "step", "sim_time_s", "sent_bytes_total", NULL};
    egc_path path = egc_path_of("%s/evals.csv", dir);
    if (!egc_path_exists(path.text))
        return EGC_OK;
    egc_status status = egc_csv_read(path.text, &view->evals, err);
    return status ? status : check_columns(&view->evals, needed, path.text, err);
}

static const char *field(const egc_csv_table *table, size_t row, const char *column)
{
    return table->rows[row][egc_csv_column(table, column)];
}

static size_t find_series(const egc_view *view, const egc_series *wanted)
{
    for (size_t i = 0; i < view->n_series; i++) {
        const egc_series *s = &view->series[i];
        if (strcmp(s->method, wanted->method) == 0 && strcmp(s->params, wanted->params) == 0 &&
            strcmp(s->algorithm, wanted->algorithm) == 0 &&
            strcmp(s->exchange, wanted->exchange) == 0)
            return i;
    }
    return view->n_series;
}

static egc_status arrange_series(egc_view *view, egc_error *err)
{
    const egc_csv_table *runs = &view->runs;
    view->series = egc_arena_alloc(&view->arena, runs->n_rows * sizeof *view->series);
    view->series_of_run = egc_arena_alloc(&view->arena, runs->n_rows * sizeof(size_t));
    if (!view->series || !view->series_of_run)
        return egc_fail_memory(err, runs->n_rows * sizeof *view->series);
    for (size_t i = 0; i < runs->n_rows; i++) {
        if (strcmp(field(runs, i, "status"), "ok") != 0) {
            view->series_of_run[i] = EGC_SETTING_NONE;
            view->n_left_out++;
            continue;
        }
        egc_series series = {.method = field(runs, i, "method"),
                             .params = field(runs, i, "method_params"),
                             .algorithm = field(runs, i, "algorithm"),
                             .exchange = field(runs, i, "exchange")};
        size_t at = find_series(view, &series);
        if (at == view->n_series)
            view->series[view->n_series++] = series;
        view->series_of_run[i] = at;
    }
    return egc_label_series(view->series, view->n_series, &view->arena, err);
}

static egc_status join_evals(egc_view *view, egc_error *err)
{
    const egc_csv_table *runs = &view->runs, *evals = &view->evals;
    view->run_of_eval = egc_arena_alloc(&view->arena, evals->n_rows * sizeof(size_t));
    if (!view->run_of_eval)
        return egc_fail_memory(err, evals->n_rows * sizeof(size_t));
    size_t run = 0; /* the last match is tried first: evaluations of one run stand together */
    for (size_t i = 0; i < evals->n_rows; i++) {
        const char *run_id = field(evals, i, "run_id");
        size_t tried = 0;
        while (tried < runs->n_rows && strcmp(field(runs, run, "run_id"), run_id) != 0) {
            run = (run + 1) % runs->n_rows;
            tried++;
        }
        bool found = tried < runs->n_rows && view->series_of_run[run] != EGC_SETTING_NONE;
        view->run_of_eval[i] = found ? run : EGC_SETTING_NONE;
    }
    return EGC_OK;
}

/* The different finite numbers of a column. */
static egc_status find_distinct(const egc_csv_table *table, const char *column, egc_arena *arena,
                                egc_distinct *out, egc_error *err)
{
    int position = egc_csv_column(table, column);
    size_t n = 0;
    out->values = egc_arena_alloc(arena, table->n_rows * sizeof *out->values);
    if (!out->values)
        return egc_fail_memory(err, table->n_rows * sizeof *out->values);
    for (size_t i = 0; i < table->n_rows; i++) {
        double value = egc_csv_number(table, i, position);
        if (isfinite(value))
            out->values[n++] = value;
    }
    gsl_sort(out->values, 1, n);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || out->values[i] != out->values[out->n - 1])
            out->values[out->n++] = out->values[i];
    return EGC_OK;
}

egc_status egc_view_load(egc_view *view, const char *dir, egc_error *err)
{
    *view = (egc_view){0};
    egc_status status = read_runs(view, dir, err);
    if (!status)
        status = read_evals(view, dir, err);
    if (!status)
        status = arrange_series(view, err);
    for (egc_scope scope = 0; scope < EGC_SCOPES && !status; scope++)
        status = egc_setting_arrange(&view->runs, view->series_of_run, scope, &view->arena,
                                     &view->settings[scope], err);
    if (!status)
        status = join_evals(view, err);
    if (!status)
        status = find_distinct(&view->runs, "bandwidth_Bps", &view->arena, &view->bandwidths, err);
    if (!status)
        status = find_distinct(&view->evals, "step", &view->arena, &view->eval_steps, err);
    return status;
}

void egc_view_fini(egc_view *view)
{
    egc_csv_table_fini(&view->runs);
    egc_csv_table_fini(&view->evals);
    egc_arena_fini(&view->arena);
}

/* ---- summarising --------------------------------------------------------------------------- */

static void spread_add(egc_spread *spread, double value)
{
    if (!isfinite(value))
        return;
    if (spread->n == 0)
        *spread = (egc_spread){0, 0, value, value};
    spread->n++;
    spread->mean += (value - spread->mean) / (double)spread->n;
    spread->low = fmin(spread->low, value);
    spread->high = fmax(spread->high, value);
}

static bool chosen(const egc_view *view, const egc_choice *choice, size_t run)
{
    return run != EGC_SETTING_NONE && view->series_of_run[run] == choice->series &&
           view->settings[choice->scope].of_run[run] == choice->setting;
}

static bool passes(const egc_csv_table *table, const egc_choice *choice, size_t row)
{
    return !choice->only_column ||
           egc_csv_number(table, row, egc_csv_column(table, choice->only_column)) ==
               choice->only_value;
}

egc_spread egc_view_runs(const egc_view *view, const egc_choice *choice, const char *column)
{
    egc_spread spread = {0, NAN, NAN, NAN};
    int position = egc_csv_column(&view->runs, column);
    for (size_t i = 0; i < view->runs.n_rows; i++)
        if (chosen(view, choice, i) && passes(&view->runs, choice, i))
            spread_add(&spread, egc_csv_number(&view->runs, i, position));
    return spread;
}

egc_spread egc_view_evals(const egc_view *view, const egc_choice *choice, const char *column)
{
    egc_spread spread = {0, NAN, NAN, NAN};
    int position = egc_csv_column(&view->evals, column);
    for (size_t i = 0; i < view->evals.n_rows; i++)
        if (chosen(view, choice, view->run_of_eval[i]) && passes(&view->evals, choice, i))
            spread_add(&spread, egc_csv_number(&view->evals, i, position));
    return spread;
}
