/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot/setting.h"

#include <stdio.h>
#include <string.h>

#include "experiment/results/columns.h"

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The fixed columns that tell settings apart, and from which scope on they no longer do. */
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

/* What is written in the method is the series. */
static bool axis_column_counts(const char *name, egc_scope scope)
{
    if (starts_with(name, "method") || starts_with(name, "algorithm") ||
        starts_with(name, "exchange"))
        return false;
    if (strcmp(name, "cluster.bandwidth") == 0)
        return scope == EGC_SCOPE_LINK;
    return scope != EGC_SCOPE_WORKLOAD || !starts_with(name, "cluster");
}

/* Whatever is no column of every runs.csv. */
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

static bool column_varies(const egc_view *view, size_t column)
{
    const char *first = NULL;
    for (size_t i = 0; i < view->runs.n_rows; i++) {
        if (view->series_of_run[i] == EGC_VIEW_NONE)
            continue;
        const char *text = view->runs.rows[i][column];
        if (first && strcmp(first, text) != 0)
            return true;
        first = text;
    }
    return false;
}

static const char *setting_key(egc_view *view, size_t run, egc_scope scope)
{
    const char *key = "";
    for (size_t c = 0; c < view->runs.n_columns && key; c++)
        if (column_counts(&view->runs, c, scope))
            key = egc_arena_printf(&view->arena, "%s%s\n", key, view->runs.rows[run][c]);
    return key;
}

/* ", latency_s 5e-05", and bandwidths in the unit that links are sold by; nothing for what does not
 * apply. */
static const char *append_column(egc_view *view, const char *title, size_t run, size_t column)
{
    const char *name = view->runs.columns[column];
    if (!*view->runs.rows[run][column])
        return title;
    if (strcmp(name, "bandwidth_Bps") != 0)
        return egc_arena_printf(&view->arena, "%s, %s %s", title, name,
                                view->runs.rows[run][column]);
    double bandwidth_bps = 8 * egc_csv_number(&view->runs, run, (int)column);
    return bandwidth_bps >= 1e9
               ? egc_arena_printf(&view->arena, "%s, %g Gbit/s", title, bandwidth_bps / 1e9)
               : egc_arena_printf(&view->arena, "%s, %g Mbit/s", title, bandwidth_bps / 1e6);
}

/* Experiment, workload and workers always; of the rest what differs from setting to setting. */
static const char *setting_title(egc_view *view, size_t run, egc_scope scope)
{
    static const char *const in_every_title[] = {"experiment", "workload", "model", "workers"};
    const char *text[4];
    for (size_t i = 0; i < 4; i++)
        text[i] = view->runs.rows[run][egc_csv_column(&view->runs, in_every_title[i])];
    const char *title =
        egc_arena_printf(&view->arena, "%s: %s%s%s, %s worker%s", text[0], text[1],
                         *text[2] ? " " : "", text[2], text[3], strcmp(text[3], "1") ? "s" : "");
    for (size_t c = 0; c < view->runs.n_columns && title; c++) {
        bool is_said = strcmp(view->runs.columns[c], "cluster.bandwidth") == 0;
        for (size_t i = 0; i < 4; i++)
            is_said |= strcmp(view->runs.columns[c], in_every_title[i]) == 0;
        if (!is_said && column_counts(&view->runs, c, scope) && column_varies(view, c))
            title = append_column(view, title, run, c);
    }
    return title;
}

static size_t find_setting(const egc_settings *settings, const char *key)
{
    size_t i = 0;
    while (i < settings->n && strcmp(settings->items[i].key, key) != 0)
        i++;
    return i;
}

egc_status egc_setting_arrange(egc_view *view, egc_scope scope, egc_error *err)
{
    egc_settings *settings = &view->settings[scope];
    size_t n_runs = view->runs.n_rows;
    settings->items = egc_arena_alloc(&view->arena, n_runs * sizeof *settings->items);
    settings->of_run = egc_arena_alloc(&view->arena, n_runs * sizeof *settings->of_run);
    if (!settings->items || !settings->of_run)
        return egc_fail_memory(err, n_runs * sizeof *settings->items);
    for (size_t i = 0; i < n_runs; i++) {
        settings->of_run[i] = EGC_VIEW_NONE;
        if (view->series_of_run[i] == EGC_VIEW_NONE)
            continue;
        egc_setting setting = {.key = setting_key(view, i, scope)};
        size_t at = setting.key ? find_setting(settings, setting.key) : 0;
        if (setting.key && at == settings->n) {
            setting.title = setting_title(view, i, scope);
            settings->items[settings->n++] = setting;
        }
        if (!setting.key || !settings->items[at].title)
            return egc_fail_memory(err, sizeof setting);
        settings->of_run[i] = at;
    }
    return EGC_OK;
}
