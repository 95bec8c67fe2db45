/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary reads the published runs.csv through the view that figures are drawn from. */
#include "cli/summary.h"

#include <math.h>
#include <stdio.h>

#include "cli/grid.h"
#include "cli/note.h"
#include "plot/figure.h"
#include "plot/view.h"

static void add_ratio(egc_grid *grid, egc_spread ratio)
{
    egc_grid_real(grid, ratio.mean < 99.95 ? "%.3gx" : "%.0fx", ratio.n ? ratio.mean : NAN);
}

/* Adds "90.43 [90.16, 90.69]": mean, and range over seeds. */
static void add_quality(egc_grid *grid, egc_spread value, double scale)
{
    if (value.n > 1)
        egc_grid_cell(grid, "%.2f [%.2f, %.2f]", scale * value.mean, scale * value.low,
                      scale * value.high);
    else
        egc_grid_real(grid, "%.2f", value.n ? scale * value.mean : NAN);
}

static void add_series(const egc_view *view, size_t setting, size_t series,
                       const egc_quality *quality, egc_grid *grid)
{
    const egc_choice choice = {.scope = EGC_SCOPE_LINK, .setting = setting, .series = series};
    egc_spread step_s = egc_view_runs(view, &choice, "step_s");
    if (!step_s.n)
        return;
    egc_gnuplot_unit unit = egc_gnuplot_unit_of_seconds(step_s.mean);
    EGC_GRID_ROW(grid, view->series[series].label);
    add_ratio(grid, egc_view_runs(view, &choice, "compression_ratio"));
    if (quality)
        add_quality(grid, egc_view_runs(view, &choice, quality->column), quality->scale);
    else
        EGC_GRID_ROW(grid, "-");
    egc_grid_cell(grid, "%.4g %s", step_s.mean / unit.size, unit.symbol);
    add_ratio(grid, egc_view_runs(view, &choice, "speedup"));
}

static egc_status print_setting(const egc_view *view, size_t setting, egc_error *err)
{
    const egc_quality *quality = egc_figure_quality_of(&view->runs);
    egc_grid grid = {.n_columns = 5, .right = 1u << 1 | 1u << 3 | 1u << 4};
    EGC_GRID_ROW(&grid, "method", "compression ratio",
                 quality ? quality->axis : "Test accuracy (%)", "step time", "speedup");
    for (size_t s = 0; s < view->n_series; s++)
        add_series(view, setting, s, quality, &grid);
    printf("%s%s\n", setting ? "\n" : "", view->settings[EGC_SCOPE_LINK].items[setting].title);
    return egc_grid_print(&grid, err);
}

/* Notes how many runs failed, and the reason of the first. */
static void note_left_out(const egc_view *view, const char *dir)
{
    const egc_csv_table *runs = &view->runs;
    int status = egc_csv_column(runs, "status"), error = egc_csv_column(runs, "error");
    for (size_t i = 0; i < runs->n_rows; i++)
        if (view->series_of_run[i] == EGC_SETTING_NONE) {
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
