/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of every results file, in order, and what each means: the single source for the
 * writers, for `egc-sim list metrics`, and for the manual. */
#ifndef EGC_EXPERIMENT_RESULTS_COLUMNS_H
#define EGC_EXPERIMENT_RESULTS_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "train/config.h"

/* The files of a results folder. */
typedef enum egc_table {
    EGC_TABLE_LAYERS,
    EGC_TABLE_STEPS,
    EGC_TABLE_EVALS,
    EGC_TABLE_RUNS, /* the last to be written: a row of it vouches for the others' rows */
    EGC_N_TABLES
} egc_table;

typedef struct egc_column {
    const char *name;
    const char *unit; /* "" for words and pure numbers */
    const char *help; /* one line, no full stop */
    bool text;        /* words; otherwise a number, or empty */
    size_t offset;    /* of a double in egc_step_metrics, or EGC_COLUMN_ELSEWHERE */
} egc_column;

#define EGC_COLUMN_ELSEWHERE ((size_t)-1)

typedef struct egc_table_type {
    const char *file; /* "steps.csv" */
    const char *help;
    const egc_column *columns;
    size_t n_columns;
} egc_table_type;

extern const egc_table_type egc_columns_tables[EGC_N_TABLES];

/* The column called name, or NULL. */
const egc_column *egc_columns_find(egc_table table, const char *name);

/* The value that a column with an offset shows. */
double egc_columns_value(const egc_column *column, const egc_step_metrics *metrics);

#endif
