/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quality of the model, accuracy or perplexity: at the end of training against the bytes sent, and
 * during training against the bytes sent so far and against simulated time. */
#include "plot/figure.h"

#include <math.h>

typedef struct extent {
    double low, high;
    size_t n_series; /* drawn */
    bool has_ranges;
} extent;

/* Adds a row: series, x, quality with its range over seeds, runs, label. */
static void add_point(egc_drawing *d, size_t series, double x, const egc_spread *quality,
                      extent *x_extent)
{
    double row[] = {(double)series,    x, quality->mean, quality->low, quality->high,
                    (double)quality->n};
    egc_figure_put_row(d, row, 6, d->view->series[series].label);
    x_extent->low = fmin(x_extent->low, x);
    x_extent->high = fmax(x_extent->high, x);
    x_extent->has_ranges |= quality->n > 1;
}

static void set_axes(egc_drawing *d, const egc_quality *quality, const char *x_label,
                     egc_gnuplot_unit unit, const extent *x)
{
    egc_gnuplot_log_axis(&d->script, 'x', x->low / unit.size, x->high / unit.size);
    egc_text_put(&d->script,
                 "set xlabel '%s (%s)'\nset ylabel '%s'\nset offsets graph 0, 0, 0.05, 0.05\n"
                 "unit = %g\nscale = %g\n",
                 x_label, unit.symbol, quality->axis, unit.size, quality->scale);
}

/* ---- at the end ---------------------------------------------------------------------------- */

static void draw_final(egc_drawing *d)
{
    const egc_view *view = d->view;
    const egc_quality *quality = egc_figure_quality_of(&view->runs);
    extent x = {.low = INFINITY};
    egc_text_put(&d->data, "series,sent_bytes_total,quality,low,high,runs,method\n");
    for (size_t s = 0; s < view->n_series && quality; s++) {
        egc_choice choice = egc_figure_choice(d, s);
        egc_spread reached = egc_view_runs(view, &choice, quality->column);
        double total = egc_view_runs(view, &choice, "sent_bytes").mean *
                       egc_view_runs(view, &choice, "steps").mean;
        if (!reached.n || !(total > 0))
            continue;
        add_point(d, s, total, &reached, &x);
        x.n_series++;
    }
    if (x.n_series == 0)
        return;
    egc_layout layout = {.title = "Quality reached and bytes sent",
                         .has_ranges = x.has_ranges,
                         .n_entries = x.n_series};
    egc_figure_begin(d, &layout);
    set_axes(d, quality, "Sent by each worker during the run", egc_gnuplot_unit_of_bytes(x.high),
             &x);
    egc_text_put(&d->script, "plot ");
    for (size_t s = 0; s < view->n_series; s++) {
        egc_choice choice = egc_figure_choice(d, s);
        if (!egc_view_runs(view, &choice, quality->column).n)
            continue;
        egc_text_put(&d->script,
                     "'%s.csv' using ($1 == %zu ? $2/unit : NaN):($3*scale):($4*scale):($5*scale) "
                     "with yerrorbars ",
                     d->name, s);
        egc_figure_series_style(d, s, EGC_MARK_POINT);
        egc_text_put(&d->script, ", \\\n     ");
    }
    egc_text_put(&d->script, "NaN notitle\n");
}

/* ---- during training ----------------------------------------------------------------------- */

/* Adds the points of one series in the order of steps. Returns their number. */
static size_t add_curve(egc_drawing *d, size_t series, const char *x_column,
                        const egc_quality *quality, extent *x)
{
    size_t n = 0;
    const egc_distinct *steps = &d->view->eval_steps;
    egc_choice choice = egc_figure_choice(d, series);
    choice.only_column = "step";
    for (size_t i = 0; i < steps->n; i++) {
        choice.only_value = steps->values[i];
        egc_spread reached = egc_view_evals(d->view, &choice, quality->column);
        double at = egc_view_evals(d->view, &choice, x_column).mean;
        if (!reached.n || !(at > 0))
            continue;
        add_point(d, series, at, &reached, x);
        n++;
    }
    return n;
}

/* More marks would hide the line. */
enum { MARKS_PER_CURVE = 12 };

/* Plots the ranges first, so that the curve lies over them. */
static void plot_curve(egc_drawing *d, size_t series, size_t n_points)
{
    egc_text_put(&d->script,
                 "'%s.csv' using ($1 == %zu && $6 > 1 ? $2/unit : NaN):($4*scale):(0):(($5-$4)*"
                 "scale) with vectors nohead lw 1 lc rgb '#888888' notitle, \\\n     "
                 "'' using ($1 == %zu ? $2/unit : NaN):($3*scale) with linespoints ",
                 d->name, series, series);
    egc_figure_series_style(d, series, EGC_MARK_LINE);
    egc_text_put(&d->script, " pi %zu, \\\n     ", 1 + n_points / MARKS_PER_CURVE);
}

static void draw_training(egc_drawing *d, const char *x_column, const char *title,
                          const char *x_label, egc_gnuplot_unit (*unit_of)(double largest))
{
    const egc_view *view = d->view;
    const egc_quality *quality = egc_figure_quality_of(&view->evals);
    size_t *n_points = d->marks;
    extent x = {.low = INFINITY};
    if (!quality)
        return;
    egc_text_put(&d->data, "series,%s,quality,low,high,runs,method\n", x_column);
    bool is_curve = false;
    for (size_t s = 0; s < view->n_series; s++) {
        n_points[s] = add_curve(d, s, x_column, quality, &x);
        x.n_series += n_points[s] > 0;
        is_curve |= n_points[s] > 1;
    }
    if (!is_curve)
        return;
    egc_layout layout = {.title = title, .has_ranges = x.has_ranges, .n_entries = x.n_series};
    egc_figure_begin(d, &layout);
    set_axes(d, quality, x_label, unit_of(x.high), &x);
    egc_text_put(&d->script, "plot ");
    for (size_t s = 0; s < view->n_series; s++)
        if (n_points[s])
            plot_curve(d, s, n_points[s]);
    egc_text_put(&d->script, "NaN notitle\n");
}

static void draw_training_bytes(egc_drawing *d)
{
    draw_training(d, "sent_bytes_total", "Quality during training against bytes sent",
                  "Sent by each worker so far", egc_gnuplot_unit_of_bytes);
}

static void draw_training_time(egc_drawing *d)
{
    draw_training(d, "sim_time_s", "Quality during training against time", "Simulated time",
                  egc_gnuplot_unit_of_seconds);
}

const egc_figure egc_figure_quality_final = {
    .name = "accuracy-bytes",
    .scope = EGC_SCOPE_WORKLOAD,
    .needs = "accuracy or perplexity in runs.csv",
    .draw = draw_final,
};

const egc_figure egc_figure_quality_bytes = {
    .name = "training-bytes",
    .scope = EGC_SCOPE_WORKLOAD,
    .needs = "two evaluations of a run in evals.csv",
    .draw = draw_training_bytes,
};

const egc_figure egc_figure_quality_time = {
    .name = "training-time",
    .scope = EGC_SCOPE_LINK,
    .needs = "two evaluations of a run in evals.csv",
    .draw = draw_training_time,
};
