/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where compression stops paying: step time and speedup against the bandwidth of a link, one line
 * for each method beside the dense one. */
#include "plot/figure.h"

#include <math.h>

typedef struct extent {
    double x_low, x_high, y_low, y_high;
} extent;

/* series,Gbit/s,mean,low,high,runs,method; returns how many bandwidths the series was run at. */
static size_t add_line(egc_drawing *d, size_t series, const char *column, const double *bandwidths,
                       size_t n_bandwidths, extent *seen)
{
    size_t n = 0;
    egc_choice choice = egc_figure_choice(d, series);
    choice.only_column = "bandwidth_Bps";
    for (size_t i = 0; i < n_bandwidths; i++) {
        choice.only_value = bandwidths[i];
        egc_spread y = egc_view_runs(d->view, &choice, column);
        if (!y.n || y.low <= 0 || bandwidths[i] <= 0)
            continue;
        double row[] = {(double)series, 8e-9 * bandwidths[i], y.mean, y.low, y.high, (double)y.n};
        egc_figure_put_row(d, row, 6, d->view->series[series].label);
        seen->x_low = fmin(seen->x_low, row[1]);
        seen->x_high = fmax(seen->x_high, row[1]);
        seen->y_low = fmin(seen->y_low, y.low);
        seen->y_high = fmax(seen->y_high, y.high);
        n++;
    }
    return n;
}

static egc_status draw_against_bandwidth(egc_drawing *d, const char *column, const char *title,
                                         const char *y_label)
{
    egc_view *view = d->view;
    double *bandwidths;
    size_t n_bandwidths, n_lines = 0;
    size_t *n_points = egc_arena_alloc(&view->arena, view->n_series * sizeof *n_points);
    if (!n_points)
        return egc_fail_memory(d->err, view->n_series * sizeof *n_points);
    egc_status status =
        egc_view_distinct(view, &view->runs, "bandwidth_Bps", &bandwidths, &n_bandwidths, d->err);
    if (status)
        return status;
    extent seen = {INFINITY, 0, INFINITY, 0};
    egc_text_put(&d->data, "series,bandwidth_Gbps,%s,low,high,runs,method\n", column);
    for (size_t s = 0; s < view->n_series; s++) {
        n_points[s] = add_line(d, s, column, bandwidths, n_bandwidths, &seen);
        n_lines += n_points[s] > 0;
    }
    if (n_lines == 0 || seen.x_low == seen.x_high)
        return EGC_OK;
    egc_layout layout = {.title = title, .n_entries = n_lines};
    egc_figure_begin(d, &layout);
    egc_gnuplot_log_axis(&d->script, 'x', seen.x_low, seen.x_high);
    egc_gnuplot_log_axis(&d->script, 'y', seen.y_low, seen.y_high);
    egc_text_put(&d->script, "set xlabel 'Bandwidth of a link (Gbit/s)'\nset ylabel '%s'\nplot ",
                 y_label);
    for (size_t s = 0; s < view->n_series; s++) {
        if (!n_points[s])
            continue;
        egc_text_put(&d->script, "'%s.csv' using ($1 == %zu ? $2 : NaN):3 with linespoints ",
                     d->name, s);
        egc_figure_series_style(d, s, EGC_MARK_LINE);
        egc_text_put(&d->script, ", \\\n     ");
    }
    egc_text_put(&d->script, "NaN notitle\n");
    return EGC_OK;
}

static egc_status draw_step(egc_drawing *d)
{
    return draw_against_bandwidth(d, "step_s", "Step time against bandwidth",
                                  "Simulated time of a step (s)");
}

static egc_status draw_speedup(egc_drawing *d)
{
    return draw_against_bandwidth(d, "speedup", "Speedup against bandwidth",
                                  "Speedup over the dense run");
}

const egc_figure egc_figure_bandwidth_step = {
    .name = "step-bandwidth",
    .scope = EGC_SCOPE_NETWORK,
    .needs = "two bandwidths or more",
    .draw = draw_step,
};

const egc_figure egc_figure_bandwidth_speedup = {
    .name = "speedup-bandwidth",
    .scope = EGC_SCOPE_NETWORK,
    .needs = "two bandwidths or more, and a dense run at each (method \"none\")",
    .draw = draw_speedup,
};
