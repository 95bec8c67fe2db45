/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a figure is: one const descriptor in one file, listed in plot.c. */
#ifndef EGC_PLOT_FIGURE_H
#define EGC_PLOT_FIGURE_H

#include "base/text.h"
#include "plot/gnuplot.h"
#include "plot/view.h"

/* One figure of one setting while it is drawn. */
typedef struct egc_drawing {
    egc_view *view;
    egc_scope scope;
    size_t setting;
    const char *name; /* of its files, without the ending */
    const egc_gnuplot_terminal *terminal;
    egc_buf data;   /* NAME.csv */
    egc_buf script; /* NAME.gp; left empty when the data lacks what the figure needs */
    egc_error *err;
} egc_drawing;

typedef struct egc_figure {
    const char *name;
    egc_scope scope;
    const char *needs; /* "two bandwidths or more", for the note when it is not drawn */
    egc_status (*draw)(egc_drawing *drawing);
} egc_figure;

extern const egc_figure egc_figure_ratio;
extern const egc_figure egc_figure_quality_final;
extern const egc_figure egc_figure_quality_bytes;
extern const egc_figure egc_figure_quality_time;
extern const egc_figure egc_figure_breakdown;
extern const egc_figure egc_figure_bandwidth_step;
extern const egc_figure egc_figure_bandwidth_speedup;

/* The choice of all of a series' runs in the drawing's setting. */
egc_choice egc_figure_choice(const egc_drawing *drawing, size_t series);

/* What a figure has room for. */
typedef struct egc_layout {
    const char *title;
    bool has_ranges;  /* some mark stands for several runs */
    size_t n_bars;    /* 0: a plane */
    size_t n_entries; /* of the legend */
} egc_layout;

/* Opens the script: terminal, output, titles and what all figures have in common. */
void egc_figure_begin(egc_drawing *drawing, const egc_layout *layout);

/* Appends a row to NAME.csv: numbers (NAN: empty), then a label. Numbers come first because gnuplot
 * misreads columns after a quoted field that holds quotes. */
void egc_figure_put_row(egc_drawing *drawing, const double *values, size_t n_values,
                        const char *label);

/* Horizontal bars have their labels on the left, where long ones are legible. */
void egc_figure_bar_labels(egc_drawing *drawing, const size_t *series, size_t n);

typedef enum egc_mark {
    EGC_MARK_POINT, /* stands alone: large, its range drawn solid */
    EGC_MARK_LINE,  /* sits on a line that has dashes of its own */
} egc_mark;

/* How lines and marks of a series look, the same in every figure; dense runs are black. Ends the
 * word list of a plot command: `title '...' lc ... pt ...`. */
void egc_figure_series_style(egc_drawing *drawing, size_t series, egc_mark mark);

/* What the quality of a model is measured in: accuracy, or else perplexity. */
typedef struct egc_quality {
    const char *column;
    const char *axis;
    double scale;
} egc_quality;

/* The first that any row of the table has, or NULL. */
const egc_quality *egc_figure_quality_of(const egc_csv_table *table);

#endif
