/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compression ratio by method: bars on a logarithmic axis, each with its number. */
#include "plot/figure.h"

#include <math.h>

static void draw(egc_drawing *d)
{
    const egc_view *view = d->view;
    size_t n = 0;
    double low = INFINITY, high = 0;
    bool has_ranges = false;
    egc_text_put(&d->data, "position,compression_ratio,low,high,runs,method\n");
    for (size_t s = 0; s < view->n_series; s++) {
        egc_choice choice = egc_figure_choice(d, s);
        egc_spread ratio = egc_view_runs(view, &choice, "compression_ratio");
        if (!ratio.n || ratio.low <= 0)
            continue;
        double row[] = {(double)n, ratio.mean, ratio.low, ratio.high, (double)ratio.n};
        egc_figure_put_row(d, row, 5, view->series[s].label);
        d->marks[n++] = s;
        low = fmin(low, ratio.low);
        high = fmax(high, ratio.high);
        has_ranges |= ratio.n > 1;
    }
    if (n == 0)
        return;
    egc_layout layout = {
        .title = "Compression ratio by method", .has_ranges = has_ranges, .n_bars = n};
    egc_figure_begin(d, &layout);
    egc_figure_bar_labels(d, d->marks, n);
    egc_gnuplot_log_axis(&d->script, 'x', fmin(0.7, 0.7 * low), 6 * high);
    egc_text_put(
        &d->script,
        "set xlabel 'Dense bytes / bytes sent'\n"
        "text(x) = x < 99.95 ? sprintf('%%.3g×', x) : sprintf('%%.0f×', x)\n"
        "plot '%s.csv' using 2:1:(1e-9):2:($1-0.36):($1+0.36) with boxxyerror fs solid 1 "
        "noborder lc rgb '%s', \\\n"
        "     '' using 3:($5 > 1 ? $1 : NaN):($4-$3):(0) with vectors nohead lw 1.5 lc rgb "
        "'black', \\\n"
        "     '' using 4:1:(text($2)) with labels left offset 1,0\n",
        d->name, EGC_COLOR_SKY);
}

const egc_figure egc_figure_ratio = {
    .name = "ratio",
    .scope = EGC_SCOPE_WORKLOAD,
    .needs = "compression_ratio in runs.csv",
    .draw = draw,
};
