/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads CSV files (RFC 4180, UTF-8, lines ended by \n or \r\n) into memory. base/text.h writes
 * them. */
#ifndef EGC_EXPERIMENT_RESULTS_CSV_H
#define EGC_EXPERIMENT_RESULTS_CSV_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

typedef struct egc_csv_table {
    const char **columns;
    size_t n_columns;
    const char ***rows; /* rows[i][j]: text of row i and column j; "" if empty */
    size_t n_rows;
    egc_arena arena;
} egc_csv_table;

/* Reads a whole file into *out, to be freed by egc_csv_table_fini. An incomplete last line, as a
 * killed writer leaves it, is ignored. IO; FORMAT for a file without header, a row whose number of
 * fields differs from the header's, a stray quote or a zero byte; MEMORY. */
egc_status egc_csv_read(const char *path, egc_csv_table *out, egc_error *err) EGC_MUST_CHECK;

/* The position of a column, or -1. */
int egc_csv_column(const egc_csv_table *table, const char *name);

/* The number in a field; NAN if it is empty or not a number, or column is negative. */
double egc_csv_number(const egc_csv_table *table, size_t row, int column);

/* Accepts a zeroed table. */
void egc_csv_table_fini(egc_csv_table *table);

#endif
