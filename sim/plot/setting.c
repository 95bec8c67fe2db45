/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key of a run is the text of every column that counts in the scope. Columns that every
 * runs.csv has are listed here; a column of a sweep's axis counts unless it belongs to the series.
 */
#include "plot/setting.h"

#include <stdio.h>
#include <string.h>

#include "experiment/results/columns.h"

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* True for a column of every runs.csv that tells settings of this scope apart. */
static bool fixed_column_counts(const char *name, egc_scope scope)
{
    static const struct {
        const char *name;
        egc_scope up_to;
    } fixed[] = {
        {"experiment", EGC_SCOPE_WORKLOAD}, {"workload", EGC_SCOPE_WORKLOAD},
        {"model", EGC_SCOPE_WORKLOAD},      {"workers", EGC_SCOPE_WORKLOAD},
        {"steps", EGC_SCOPE_WORKLOAD},      {"cluster", EGC_SCOPE_NETWORK},
        {"latency_s", EGC_SCOPE_NETWORK},   {"bandwidth_Bps", EGC_SCOPE_LINK},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(fixed[i].name, name) == 0)
            return scope <= fixed[i].up_to;
    return false;
}

/* Axes of method, algorithm and exchange tell series apart, not settings. */
static bool axis_column_counts(const char *name, egc_scope scope)
{
    if (starts_with(name, "method") || starts_with(name, "algorithm") ||
        starts_with(name, "exchange"))
        return false;
    if (strcmp(name, "cluster.bandwidth") == 0)
        return scope == EGC_SCOPE_LINK;
    return scope != EGC_SCOPE_WORKLOAD || !starts_with(name, "cluster");
}

/* True for a column that not every runs.csv has. */
static bool is_axis_column(const char *name)
{
    return !egc_columns_find(EGC_TABLE_RUNS, name) && strcmp(name, EGC_REPRODUCIBLE_COLUMN) != 0;
}

static bool column_counts(const egc_csv_table *runs, size_t column, egc_scope scope)
{
    const char *name = runs->columns[column];
    return is_axis_column(name) ? axis_column_counts(name, scope)
                                : fixed_column_counts(name, scope);
}

typedef struct arranging {
    const egc_csv_table *runs;
    const size_t *series_of_run;
    egc_scope scope;
    egc_arena *arena;
} arranging;

/* True if the runs that have a series differ in a column. */
static bool column_varies(const arranging *a, size_t column)
{
    const char *first = NULL;
    for (size_t i = 0; i < a->runs->n_rows; i++) {
        if (a->series_of_run[i] == EGC_SETTING_NONE)
            continue;
        const char *text = a->runs->rows[i][column];
        if (first && strcmp(first, text) != 0)
            return true;
        first = text;
    }
    return false;
}

static const char *setting_key(const arranging *a, size_t run)
{
    const char *key = "";
    for (size_t c = 0; c < a->runs->n_columns && key; c++)
        if (column_counts(a->runs, c, a->scope))
            key = egc_arena_printf(a->arena, "%s%s\n", key, a->runs->rows[run][c]);
    return key;
}

/* Appends ", latency_s 5e-05", or a bandwidth in bits per second, or nothing for an empty field. */
static const char *append_column(const arranging *a, const char *title, size_t run, size_t column)
{
    const char *name = a->runs->columns[column], *text = a->runs->rows[run][column];
    if (!*text)
        return title;
    if (strcmp(name, "bandwidth_Bps") != 0)
        return egc_arena_printf(a->arena, "%s, %s %s", title, name, text);
    double bandwidth_bps = 8 * egc_csv_number(a->runs, run, (int)column);
    bool giga = bandwidth_bps >= 1e9;
    return egc_arena_printf(a->arena, "%s, %g %cbit/s", title, bandwidth_bps / (giga ? 1e9 : 1e6),
                            giga ? 'G' : 'M');
}

/* Experiment, workload and workers, and every other column in which settings differ. */
static const char *setting_title(const arranging *a, size_t run)
{
    static const char *const in_every_title[] = {"experiment", "workload", "model", "workers"};
    const char *text[4];
    for (size_t i = 0; i < 4; i++)
        text[i] = a->runs->rows[run][egc_csv_column(a->runs, in_every_title[i])];
    const char *title =
        egc_arena_printf(a->arena, "%s: %s%s%s, %s worker%s", text[0], text[1], *text[2] ? " " : "",
                         text[2], text[3], strcmp(text[3], "1") ? "s" : "");
    for (size_t c = 0; c < a->runs->n_columns && title; c++) {
        bool is_said = strcmp(a->runs->columns[c], "cluster.bandwidth") == 0;
        for (size_t i = 0; i < 4; i++)
            is_said |= strcmp(a->runs->columns[c], in_every_title[i]) == 0;
        if (!is_said && column_counts(a->runs, c, a->scope) && column_varies(a, c))
            title = append_column(a, title, run, c);
    }
    return title;
}

/* Sets *at to the position of the run's setting, which is new if no run before had it. */
static egc_status find_setting(const arranging *a, size_t run, egc_settings *settings, size_t *at,
                               egc_error *err)
{
    egc_setting wanted = {.key = setting_key(a, run)};
    if (!wanted.key)
        return egc_fail_memory(err, sizeof wanted);
    for (*at = 0; *at < settings->n; ++*at)
        if (strcmp(settings->items[*at].key, wanted.key) == 0)
            return EGC_OK;
    wanted.title = setting_title(a, run);
    settings->items[settings->n++] = wanted;
    return wanted.title ? EGC_OK : egc_fail_memory(err, sizeof wanted);
}

egc_status egc_setting_arrange(const egc_csv_table *runs, const size_t *series_of_run,
                               egc_scope scope, egc_arena *arena, egc_settings *out, egc_error *err)
{
    arranging a = {runs, series_of_run, scope, arena};
    size_t n_runs = runs->n_rows;
    out->items = egc_arena_alloc(arena, n_runs * sizeof *out->items);
    out->of_run = egc_arena_alloc(arena, n_runs * sizeof *out->of_run);
    if (!out->items || !out->of_run)
        return egc_fail_memory(err, n_runs * sizeof *out->items);
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n_runs && !status; i++) {
        out->of_run[i] = EGC_SETTING_NONE;
        if (series_of_run[i] != EGC_SETTING_NONE)
            status = find_setting(&a, i, out, &out->of_run[i], err);
    }
    return status;
}
