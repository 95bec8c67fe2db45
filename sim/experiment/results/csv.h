/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV as RFC 4180 has it: UTF-8, a header row, '.' for the decimal point, reals in the shortest
 * form that reads back the same, an empty field for "does not apply". Lines end with \n. */
#ifndef EGC_EXPERIMENT_RESULTS_CSV_H
#define EGC_EXPERIMENT_RESULTS_CSV_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

/* ---- writing: fields are appended to a row under construction ------------------------------- */

egc_status egc_csv_text(egc_buf *row, const char *text, egc_error *err) EGC_MUST_CHECK;
egc_status egc_csv_real(egc_buf *row, double value, egc_error *err) EGC_MUST_CHECK; /* NAN: empty */
egc_status egc_csv_int(egc_buf *row, int64_t value, egc_error *err) EGC_MUST_CHECK;
egc_status egc_csv_empty(egc_buf *row, egc_error *err) EGC_MUST_CHECK;
egc_status egc_csv_end(egc_buf *row, egc_error *err) EGC_MUST_CHECK; /* the line is complete */

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct egc_csv_table {
    const char **columns;
    size_t n_columns;
    const char ***rows; /* rows[i][j]: text of row i, column j; "" when empty */
    size_t n_rows;
    egc_arena arena;
} egc_csv_table;

/* Reads a whole file. An incomplete last line (a writer was killed) is left out. IO; FORMAT when
 * a row has another number of fields than the header; MEMORY. */
egc_status egc_csv_read(const char *path, egc_csv_table *out, egc_error *err) EGC_MUST_CHECK;

/* The position of a column, or -1. */
int egc_csv_column(const egc_csv_table *table, const char *name);

/* The number in a field, NAN when it is empty or not a number. */
double egc_csv_number(const egc_csv_table *table, size_t row, int column);

void egc_csv_table_fini(egc_csv_table *table);

#endif
