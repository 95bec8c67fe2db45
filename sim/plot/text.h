/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text under construction that remembers its first failure: a figure is dozens of small appends,
 * and one check at the end is enough. */
#ifndef EGC_PLOT_TEXT_H
#define EGC_PLOT_TEXT_H

#include "base/buf.h"

typedef struct egc_text {
    egc_buf buf;
    egc_status status;
    egc_error *err;
} egc_text;

void egc_text_put(egc_text *text, const char *format, ...) EGC_PRINTF(2, 3);

/* A gnuplot string literal; control characters become spaces. */
void egc_text_quote(egc_text *text, const char *label);

/* One row of CSV: numbers (NAN: empty), then a label. Numbers come first because gnuplot's own
 * reader of CSV stumbles over quoted quotes. */
void egc_text_row(egc_text *text, const double *values, size_t n_values, const char *label);

void egc_text_fini(egc_text *text);

#endif
