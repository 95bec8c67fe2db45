/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/table.h"
#include "plot/figure.h"
#include "plot/view.h"

enum { CELL = 48 };

static void format_ratio(char *out, egc_spread ratio, const char *suffix)
{
    if (!ratio.n)
        strcpy(out, "-");
    else
        snprintf(out, CELL, ratio.mean < 99.95 ? "%.3g%s" : "%.0f%s", ratio.mean, suffix);
}

/* "90.43 [90.16, 90.69]" */
static void format_quality(char *out, egc_spread value, double scale)
{
    if (!value.n)
        strcpy(out, "-");
    else if (value.n == 1)
        snprintf(out, CELL, "%.2f", scale * value.mean);
    else
        snprintf(out, CELL, "%.2f [%.2f, %.2f]", scale * value.mean, scale * value.low,
                 scale * value.high);
}

static void format_seconds(char *out, egc_spread seconds)
{
    egc_gnuplot_unit unit = egc_gnuplot_unit_of_seconds(seconds.n ? seconds.mean : 0);
    if (!seconds.n)
        strcpy(out, "-");
    else
        snprintf(out, CELL, "%.4g %s", seconds.mean / unit.size, unit.symbol);
}

static egc_status add_series(const egc_view *view, size_t setting, size_t series,
                             const egc_quality *quality, egc_grid *grid, egc_error *err)
{
    egc_choice choice = {.scope = EGC_SCOPE_LINK, .setting = setting, .series = series};
    egc_spread step_s = egc_view_runs(view, &choice, "step_s");
    if (!step_s.n)
        return EGC_OK;
    char ratio[CELL], reached[CELL] = "-", step[CELL], speedup[CELL];
    format_ratio(ratio, egc_view_runs(view, &choice, "compression_ratio"), "x");
    if (quality)
        format_quality(reached, egc_view_runs(view, &choice, quality->column), quality->scale);
    format_seconds(step, step_s);
    format_ratio(speedup, egc_view_runs(view, &choice, "speedup"), "x");
    return egc_grid_add(
        grid, (const char *[]){view->series[series].label, ratio, reached, step, speedup}, err);
}

static egc_status print_setting(const egc_view *view, size_t setting, egc_error *err)
{
    const egc_quality *quality = egc_figure_quality_of(&view->runs);
    egc_grid grid = {.n_columns = 5, .right = 1u << 1 | 1u << 3 | 1u << 4};
    egc_status status = egc_grid_add(&grid,
                                     (const char *[]){"method", "compression ratio",
                                                      quality ? quality->axis : "Test accuracy (%)",
                                                      "step time", "speedup"},
                                     err);
    for (size_t s = 0; s < view->n_series && !status; s++)
        status = add_series(view, setting, s, quality, &grid, err);
    printf("%s%s\n", setting ? "\n" : "", view->settings[EGC_SCOPE_LINK].items[setting].title);
    egc_grid_print(&grid);
    return status;
}

/* Says the reason of the first, and where the others are. */
static void note_left_out(const egc_view *view, const char *dir)
{
    const egc_csv_table *runs = &view->runs;
    int status = egc_csv_column(runs, "status"), error = egc_csv_column(runs, "error");
    for (size_t i = 0; i < runs->n_rows; i++)
        if (view->series_of_run[i] == EGC_VIEW_NONE) {
            egc_note("%zu of %zu runs are not ok, see %s/runs.csv; the first is %s (%s): %s",
                     view->n_left_out, runs->n_rows, dir, runs->rows[i][0], runs->rows[i][status],
                     error < 0 ? "" : runs->rows[i][error]);
            return;
        }
}

egc_status egc_summary_print(const char *dir, egc_error *err)
{
    egc_view view;
    egc_status status = egc_view_load(&view, dir, err);
    for (size_t i = 0; !status && i < view.settings[EGC_SCOPE_LINK].n; i++)
        status = print_setting(&view, i, err);
    if (!status && view.n_left_out)
        note_left_out(&view, dir);
    egc_view_fini(&view);
    return status;
}
