/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of a results folder, drawn by gnuplot from the folder's CSV alone.
 *
 * A figure is one const descriptor in one file (figure.h). For each one the folder's `plots` gets
 * NAME.csv (what is drawn), NAME.gp (how) and NAME.FORMAT, so that `gnuplot NAME.gp` in that
 * folder draws it again after a change of style. */
#ifndef EGC_PLOT_PLOT_H
#define EGC_PLOT_PLOT_H

#include <stddef.h>

#include "base/error.h"

typedef struct egc_plot_sink {
    void *arg;
    void (*drawn)(void *arg, const char *path);
    void (*skipped)(void *arg, const char *figure, const char *reason);
    void (*left_out)(void *arg, size_t n_left_out, size_t n_runs); /* runs that did not succeed */
} egc_plot_sink;

/* Draws every figure that dir's data has what it needs for. format: svg, png or pdf. NAME for
 * another format; IO, also when gnuplot is not installed; FORMAT when the CSV is not ours. */
egc_status egc_plot(const char *dir, const char *format, const egc_plot_sink *sink,
                    egc_error *err) EGC_MUST_CHECK;

#endif
