/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a step's time, by method: stacked horizontal bars, with the whole step as a number
 * and a mark. The parts add up to more than the step if compression overlaps computation. */
#include "plot/figure.h"

#include <math.h>

enum { PARTS = 4 };

static const struct {
    const char *column;
    const char *title;
    const char *color;
} parts[PARTS] = {
    {"compute_s", "compute", EGC_COLOR_GREY},
    {"compress_s", "compress", EGC_COLOR_ORANGE},
    {"decompress_s", "decompress", EGC_COLOR_SKY},
    {"exposed_comm_s", "exposed communication", EGC_COLOR_VERMILLION},
};

/* Adds a row: position, the parts, the step, and the end of the bar or of the step, the later.
 * False if the runs have no step time. */
static bool add_bar(egc_drawing *d, size_t position, size_t series, double *longest)
{
    egc_choice choice = egc_figure_choice(d, series);
    double row[PARTS + 3] = {(double)position}, sum = 0;
    for (size_t p = 0; p < PARTS; p++) {
        egc_spread part = egc_view_runs(d->view, &choice, parts[p].column);
        row[1 + p] = part.n ? part.mean : 0;
        sum += row[1 + p];
    }
    double step_s = egc_view_runs(d->view, &choice, "step_s").mean;
    if (!(step_s > 0))
        return false;
    row[PARTS + 1] = step_s;
    row[PARTS + 2] = fmax(sum, step_s);
    *longest = fmax(*longest, row[PARTS + 2]);
    egc_figure_put_row(d, row, PARTS + 3, d->view->series[series].label);
    return true;
}

static void plot_parts(egc_drawing *d)
{
    egc_text_put(&d->script, "plot ");
    for (size_t p = 0; p < PARTS; p++) {
        egc_text_put(&d->script, "'%s.csv' using (0):1:((0", d->name);
        for (size_t before = 0; before < p; before++)
            egc_text_put(&d->script, "+$%zu", before + 2);
        egc_text_put(&d->script, ")/unit):((0");
        for (size_t before = 0; before <= p; before++)
            egc_text_put(&d->script, "+$%zu", before + 2);
        egc_text_put(&d->script,
                     ")/unit):($1-0.36):($1+0.36) with boxxyerror fs solid 1 noborder lc rgb '%s' "
                     "title '%s', \\\n     ",
                     parts[p].color, parts[p].title);
    }
    egc_text_put(&d->script,
                 "'' using ($6/unit):1 with points pt 12 ps 1.2 lw 1.5 lc rgb 'black' title 'whole "
                 "step', \\\n     "
                 "'' using ($7/unit):1:(sprintf('%%.3g ', $6/unit).symbol) with labels left offset "
                 "1.5,0 notitle\n");
}

static void draw(egc_drawing *d)
{
    size_t n = 0;
    double longest = 0;
    egc_text_put(&d->data, "position,compute_s,compress_s,decompress_s,exposed_comm_s,step_s,end_s,"
                           "method\n");
    for (size_t s = 0; s < d->view->n_series; s++)
        if (add_bar(d, n, s, &longest))
            d->marks[n++] = s;
    if (n == 0)
        return;
    egc_gnuplot_unit unit = egc_gnuplot_unit_of_seconds(longest);
    egc_layout layout = {
        .title = "Where the time of a step goes", .n_bars = n, .n_entries = PARTS + 1};
    egc_figure_begin(d, &layout);
    egc_figure_bar_labels(d, d->marks, n);
    egc_text_put(&d->script,
                 "set xrange [0:%g]\nset xlabel 'Simulated time of a step (%s)'\n"
                 "unit = %g\nsymbol = '%s'\n",
                 1.3 * longest / unit.size, unit.symbol, unit.size, unit.symbol);
    plot_parts(d);
}

const egc_figure egc_figure_breakdown = {
    .name = "breakdown",
    .scope = EGC_SCOPE_LINK,
    .needs = "step_s in runs.csv",
    .draw = draw,
};
