/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short names for the series of a figure: the method, and those of its parameters that tell it from
 * the other series. */
#ifndef EGC_PLOT_LABEL_H
#define EGC_PLOT_LABEL_H

#include "base/arena.h"
#include "base/error.h"

/* The runs of one method, with its parameters, algorithm and exchange. */
typedef struct egc_series {
    const char *method;
    const char *params; /* "ratio=0.01;index=bitmap" */
    const char *algorithm;
    const char *exchange;
    const char *label; /* short, and different from the labels of all other series */
} egc_series;

/* Sets the label of each of n series; the arena owns the text. MEMORY. */
egc_status egc_label_series(egc_series *series, size_t n, egc_arena *arena,
                            egc_error *err) EGC_MUST_CHECK;

#endif
