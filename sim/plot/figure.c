/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pieces of a gnuplot script that figures share. Sizes are nominal and scaled by the terminal;
 * the legend stands below the plane so that the plane keeps its width. */
#include "plot/figure.h"

#include <math.h>
#include <string.h>

/* Hundredths of an inch. */
enum { WIDTH = 700, PLANE_HEIGHT = 400, LEGEND_LINE = 20, BARS_HEIGHT = 150, BAR = 34 };

egc_choice egc_figure_choice(const egc_drawing *drawing, size_t series)
{
    return (egc_choice){.scope = drawing->scope, .setting = drawing->setting, .series = series};
}

/* Three columns of short entries or two of long ones fit the width. */
static size_t legend_rows(const egc_drawing *drawing, const egc_layout *layout)
{
    size_t longest = 0;
    for (size_t i = 0; i < drawing->view->n_series && !layout->n_bars; i++) {
        size_t length = strlen(drawing->view->series[i].label);
        longest = length > longest ? length : longest;
    }
    size_t columns = longest <= 20 ? 3 : 2;
    return (layout->n_entries + columns - 1) / columns;
}

/* The legend is as wide as the page: gnuplot's own `key below` is no wider than the plane. */
static void put_legend(egc_buf *script, size_t rows)
{
    if (rows == 0)
        egc_text_put(script, "unset key\n");
    else
        egc_text_put(script,
                     "set key at screen 0.5,0.01 bottom center vertical maxrows %zu Left reverse "
                     "samplen 3 width 3 font ',12'\nset bmargin %g\n",
                     rows, 4.2 + 0.95 * (double)rows);
}

/* Titles are labels of the page, since gnuplot centres a title over the plane, which may be narrow.
 */
static void put_titles(egc_drawing *drawing, const egc_layout *layout)
{
    egc_buf *script = &drawing->script;
    egc_text_put(
        script,
        "set tmargin 4.5\nset label 1 '%s%s' at screen 0.5, screen 1 center offset 0,-1.2\n"
        "set label 2 ",
        layout->title, layout->has_ranges ? " (thin lines: range over seeds)" : "");
    egc_gnuplot_put_string(script,
                           drawing->view->settings[drawing->scope].items[drawing->setting].title);
    egc_text_put(script, " at screen 0.5, screen 1 center offset 0,-2.6 font ',12'\n");
}

void egc_figure_begin(egc_drawing *drawing, const egc_layout *layout)
{
    egc_buf *script = &drawing->script;
    const egc_gnuplot_terminal *terminal = drawing->terminal;
    size_t rows = legend_rows(drawing, layout);
    double height = LEGEND_LINE * (double)rows +
                    (layout->n_bars ? BARS_HEIGHT + BAR * (double)layout->n_bars : PLANE_HEIGHT);
    egc_text_put(script, "# Drawn by egc-sim plot; change it and run: gnuplot %s.gp\n",
                 drawing->name);
    egc_text_put(script, "set terminal %s noenhanced size %g%s,%g%s\n", terminal->terminal,
                 WIDTH * terminal->per_point, terminal->unit, height * terminal->per_point,
                 terminal->unit);
    egc_text_put(script, "set encoding utf8\nset output '%s.%s'\n", drawing->name, terminal->name);
    put_titles(drawing, layout);
    egc_text_put(script, "set datafile separator comma\nset datafile columnheaders\n"
                         "set border 3 lc rgb '#444444'\nset tics nomirror textcolor rgb 'black'\n"
                         "set grid lc rgb '#DDDDDD' lt 1 lw 0.5\n");
    put_legend(script, rows);
}

void egc_figure_put_row(egc_drawing *drawing, const double *values, size_t n_values,
                        const char *label)
{
    for (size_t i = 0; i < n_values; i++)
        egc_text_put_real_field(&drawing->data, values[i]);
    egc_text_put_field(&drawing->data, label);
    egc_text_end_row(&drawing->data);
}

void egc_figure_bar_labels(egc_drawing *drawing, const size_t *series, size_t n)
{
    egc_buf *script = &drawing->script;
    egc_text_put(script,
                 "set yrange [%g:-0.5]\nunset grid\nset grid x lc rgb '#DDDDDD' lt 1 lw "
                 "0.5\nset border 1\nset ytics scale 0 font ',12' (",
                 (double)n - 0.5);
    for (size_t i = 0; i < n; i++) {
        egc_text_put(script, i ? ", " : "");
        egc_gnuplot_put_string(script, drawing->view->series[series[i]].label);
        egc_text_put(script, " %zu", i);
    }
    egc_text_put(script, ")\n");
}

void egc_figure_series_style(egc_drawing *drawing, size_t series, egc_mark mark)
{
    static const char *const colors[] = {EGC_COLOR_BLUE,   EGC_COLOR_VERMILLION, EGC_COLOR_GREEN,
                                         EGC_COLOR_PURPLE, EGC_COLOR_ORANGE,     EGC_COLOR_SKY};
    static const int marks[] = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
    static const int dashes[] = {1, 2, 4, 5};
    const egc_series *all = drawing->view->series;
    size_t at = 0;
    for (size_t i = 0; i < series; i++)
        at += strcmp(all[i].method, "none") != 0;
    bool dense = strcmp(all[series].method, "none") == 0;
    egc_text_put(&drawing->script, "title ");
    egc_gnuplot_put_string(&drawing->script, all[series].label);
    egc_text_put(&drawing->script, " lc rgb '%s' lw %d dt %d pt %d ps %g",
                 dense ? EGC_COLOR_BLACK : colors[at % 6], dense ? 3 : 2,
                 dense || mark == EGC_MARK_POINT ? 1 : dashes[at % 4], dense ? 2 : marks[at % 10],
                 mark == EGC_MARK_POINT ? 1.5 : 0.9);
}

const egc_quality *egc_figure_quality_of(const egc_csv_table *table)
{
    static const egc_quality qualities[] = {
        {"accuracy", "Test accuracy (%)", 100},
        {"perplexity", "Test perplexity", 1},
    };
    for (size_t q = 0; q < sizeof qualities / sizeof *qualities; q++) {
        int column = egc_csv_column(table, qualities[q].column);
        for (size_t i = 0; i < table->n_rows; i++)
            if (isfinite(egc_csv_number(table, i, column)))
                return &qualities[q];
    }
    return NULL;
}
