/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of a results folder, drawn by gnuplot from the CSV files of that folder alone.
 *
 * For each figure the folder `plots` gets NAME.csv (the data), NAME.gp (the script) and
 * NAME.FORMAT. After a change of the script, `gnuplot NAME.gp` in that folder draws the figure
 * again. */
#ifndef EGC_PLOT_PLOT_H
#define EGC_PLOT_PLOT_H

#include <stddef.h>

#include "base/error.h"

/* Called with arg to report progress. */
typedef struct egc_plot_sink {
    void *arg;
    void (*drawn)(void *arg, const char *path);
    void (*skipped)(void *arg, const char *figure, const char *reason);
    void (*left_out)(void *arg, size_t n_left_out, size_t n_runs); /* runs that did not succeed */
} egc_plot_sink;

/* Draws every figure for which the folder dir has data. format: svg, png or pdf. NAME for another
 * format; IO, also if gnuplot is not installed; FORMAT if the CSV is not that of `egc-sim run`;
 * MEMORY. */
egc_status egc_plot(const char *dir, const char *format, const egc_plot_sink *sink,
                    egc_error *err) EGC_MUST_CHECK;

#endif
