/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures: each is one const descriptor, listed in plot.c. A file figure_*.c holds the figures of
 * one kind; the functions below give all figures the same look. */
#ifndef EGC_PLOT_FIGURE_H
#define EGC_PLOT_FIGURE_H

#include "base/text.h"
#include "plot/gnuplot.h"
#include "plot/view.h"

/* One figure of one setting while it is drawn. plot.c owns it and checks the buffers. */
typedef struct egc_drawing {
    const egc_view *view;
    egc_scope scope;
    size_t setting;
    const char *name; /* names the files, without ending */
    const egc_gnuplot_terminal *terminal;
    egc_buf data;   /* NAME.csv */
    egc_buf script; /* NAME.gp; left empty if the data the figure needs is missing */
    size_t *marks;  /* scratch of view->n_series zeros for the figure */
} egc_drawing;

typedef struct egc_figure {
    const char *name;
    egc_scope scope;
    const char *needs; /* "two bandwidths or more", for the note when it is not drawn */
    void (*draw)(egc_drawing *drawing);
} egc_figure;

extern const egc_figure egc_figure_ratio;
extern const egc_figure egc_figure_quality_final;
extern const egc_figure egc_figure_quality_bytes;
extern const egc_figure egc_figure_quality_time;
extern const egc_figure egc_figure_breakdown;
extern const egc_figure egc_figure_bandwidth_step;
extern const egc_figure egc_figure_bandwidth_speedup;

/* Chooses all runs of a series in the drawing's setting. */
egc_choice egc_figure_choice(const egc_drawing *drawing, size_t series);

/* The contents that decide how large a figure is. */
typedef struct egc_layout {
    const char *title;
    bool has_ranges;  /* a mark stands for several runs */
    size_t n_bars;    /* 0: a plane */
    size_t n_entries; /* in the legend */
} egc_layout;

/* Begins the script: terminal, output, titles, grid and legend. */
void egc_figure_begin(egc_drawing *drawing, const egc_layout *layout);

/* Appends a row to NAME.csv: numbers (NAN: empty), then a label. Numbers come first because gnuplot
 * misreads columns after a quoted field that holds quotes. */
void egc_figure_put_row(egc_drawing *drawing, const double *values, size_t n_values,
                        const char *label);

/* Sets up horizontal bars, one for each of n series, with the labels on the left, where long ones
 * are legible. */
void egc_figure_bar_labels(egc_drawing *drawing, const size_t *series, size_t n);

typedef enum egc_mark {
    EGC_MARK_POINT, /* alone: large, with a solid range */
    EGC_MARK_LINE,  /* on a line with dashes */
} egc_mark;

/* Appends the title and look of a series, `title '...' lc ... pt ...`, to a plot command. A series
 * looks the same in every figure, and method none is black. */
void egc_figure_series_style(egc_drawing *drawing, size_t series, egc_mark mark);

/* The measure of a model's quality: accuracy, or else perplexity. */
typedef struct egc_quality {
    const char *column;
    const char *axis;
    double scale;
} egc_quality;

/* The first measure with a number in any row of the table, or NULL. */
const egc_quality *egc_figure_quality_of(const egc_csv_table *table);

#endif
