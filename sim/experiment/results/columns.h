/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of every results file, in order, with unit and help: the single source for the
 * writers, for `egc-sim list metrics`, and for the manual. */
#ifndef EGC_EXPERIMENT_RESULTS_COLUMNS_H
#define EGC_EXPERIMENT_RESULTS_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "train/metrics/metrics.h"

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
    const char *axis; /* the sweep axis whose values it shows, or NULL */
    bool text;        /* words; otherwise a number, or empty */
    bool metric;      /* a row of train/metrics/metrics.def */
    size_t offset;    /* metric: of its double in the struct that metrics.def declares */
} egc_column;

typedef struct egc_table_type {
    const char *file; /* "steps.csv" */
    const char *help;
    const egc_column *columns;
    size_t n_columns;
} egc_table_type;

/* A column of runs.csv after the axes of an experiment with measured times: "no" if another run of
 * the point gives other times, else "yes". */
#define EGC_REPRODUCIBLE_COLUMN "reproducible"

extern const egc_table_type egc_columns_tables[EGC_N_TABLES];

/* Appends the names of a table's columns as CSV fields. */
void egc_columns_put_names(egc_table table, egc_buf *row);

/* The column called name, or NULL. */
const egc_column *egc_columns_find(egc_table table, const char *name);

/* The value of a metric's column; metrics points to the struct of the table: egc_metrics (STEPS,
 * RUNS), egc_evaluation_metrics (EVALS) or egc_unit_metrics (LAYERS). */
double egc_columns_value(const egc_column *column, const void *metrics);

/* True if a column of runs.csv shows this sweep axis: "method", "seed", "cluster.bandwidth" ... */
bool egc_columns_has_axis(const char *axis);

#endif
