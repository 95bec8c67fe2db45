/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step time and speedup against the bandwidth of a link, one line for each method: compression pays
 * where its line is below (above) the dense one. */
#include "plot/figure.h"

#include <math.h>

typedef struct extent {
    double x_low, x_high, y_low, y_high;
} extent;

/* Adds rows of series, Gbit/s, mean, low, high, runs and label. Returns their number. */
static size_t add_line(egc_drawing *d, size_t series, const char *column, extent *seen)
{
    size_t n = 0;
    const egc_distinct *bandwidths = &d->view->bandwidths;
    egc_choice choice = egc_figure_choice(d, series);
    choice.only_column = "bandwidth_Bps";
    for (size_t i = 0; i < bandwidths->n; i++) {
        choice.only_value = bandwidths->values[i];
        egc_spread y = egc_view_runs(d->view, &choice, column);
        if (!y.n || y.low <= 0 || bandwidths->values[i] <= 0)
            continue;
        double row[] = {(double)series, 8e-9 * bandwidths->values[i], y.mean, y.low, y.high,
                        (double)y.n};
        egc_figure_put_row(d, row, 6, d->view->series[series].label);
        seen->x_low = fmin(seen->x_low, row[1]);
        seen->x_high = fmax(seen->x_high, row[1]);
        seen->y_low = fmin(seen->y_low, y.low);
        seen->y_high = fmax(seen->y_high, y.high);
        n++;
    }
    return n;
}

static void draw_against_bandwidth(egc_drawing *d, const char *column, const char *title,
                                   const char *y_label)
{
    const egc_view *view = d->view;
    size_t *n_points = d->marks, n_lines = 0;
    extent seen = {INFINITY, 0, INFINITY, 0};
    egc_text_put(&d->data, "series,bandwidth_Gbps,%s,low,high,runs,method\n", column);
    for (size_t s = 0; s < view->n_series; s++) {
        n_points[s] = add_line(d, s, column, &seen);
        n_lines += n_points[s] > 0;
    }
    if (n_lines == 0 || seen.x_low == seen.x_high)
        return;
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
}

static void draw_step(egc_drawing *d)
{
    draw_against_bandwidth(d, "step_s", "Step time against bandwidth",
                           "Simulated time of a step (s)");
}

static void draw_speedup(egc_drawing *d)
{
    draw_against_bandwidth(d, "speedup", "Speedup against bandwidth", "Speedup over the dense run");
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
