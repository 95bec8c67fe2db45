/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gnuplot program, and pieces of its language. */
#ifndef EGC_PLOT_GNUPLOT_H
#define EGC_PLOT_GNUPLOT_H

#include "base/text.h"

/* Okabe and Ito (2008), "Color Universal Design": told apart with every kind of colour vision. */
#define EGC_COLOR_BLACK "#000000"
#define EGC_COLOR_ORANGE "#E69F00"
#define EGC_COLOR_SKY "#56B4E9"
#define EGC_COLOR_GREEN "#009E73"
#define EGC_COLOR_BLUE "#0072B2"
#define EGC_COLOR_VERMILLION "#D55E00"
#define EGC_COLOR_PURPLE "#CC79A7"
#define EGC_COLOR_GREY "#BBBBBB"

/* A file format of figures. */
typedef struct egc_gnuplot_terminal {
    const char *name;
    const char *terminal; /* `set terminal` of gnuplot, its size left out */
    double per_point;     /* size units a nominal 1/100 inch */
    const char *unit;     /* "in" or "" */
} egc_gnuplot_terminal;

/* Finds a format by its name. NAME, with the list of formats, if there is none. */
egc_status egc_gnuplot_terminal_find(const char *name, const egc_gnuplot_terminal **out,
                                     egc_error *err) EGC_MUST_CHECK;

/* Appends a string literal of gnuplot's; control characters become spaces. */
void egc_gnuplot_put_string(egc_buf *script, const char *text);

/* Appends a logarithmic axis ('x' or 'y') from at most low to at least high, both > 0, that starts
 * and ends at numbers of the series 1, 2, 5, 10 and labels them. gnuplot labels decades only, so
 * that an axis of less than a decade would have no number. */
void egc_gnuplot_log_axis(egc_buf *script, char axis, double low, double high);

/* The largest unit that is at most `largest`. */
typedef struct egc_gnuplot_unit {
    double size;
    const char *symbol;
} egc_gnuplot_unit;

egc_gnuplot_unit egc_gnuplot_unit_of_seconds(double largest);
egc_gnuplot_unit egc_gnuplot_unit_of_bytes(double largest);

/* Runs `gnuplot SCRIPT` in dir. IO if gnuplot is not installed or fails, with its last line. */
egc_status egc_gnuplot_run(const char *dir, const char *script, egc_error *err) EGC_MUST_CHECK;

#endif
