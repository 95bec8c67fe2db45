/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of a results folder, arranged for figures.
 *
 * A *series* is what figures compare: a method with its parameters, and the algorithm and exchange
 * it ran with. A *setting* is everything else but the seed; runs of different settings are never
 * averaged, each setting gets a figure of its own. How much of the network belongs to the setting
 * depends on the figure. */
#ifndef EGC_PLOT_VIEW_H
#define EGC_PLOT_VIEW_H

#include <stdbool.h>

#include "experiment/results/csv.h"

typedef enum egc_scope {
    EGC_SCOPE_LINK,     /* a setting has one bandwidth */
    EGC_SCOPE_NETWORK,  /* a setting has every bandwidth of one cluster */
    EGC_SCOPE_WORKLOAD, /* what is drawn does not depend on the network at all */
    EGC_SCOPES,
} egc_scope;

typedef struct egc_series {
    const char *method;
    const char *params;
    const char *algorithm;
    const char *exchange;
    const char *label; /* short, and different from those of all others */
} egc_series;

typedef struct egc_setting {
    const char *key;
    const char *title; /* "compare: train cnn, 8 workers" */
} egc_setting;

typedef struct egc_settings {
    egc_setting *items;
    size_t n;
    size_t *of_run;
} egc_settings;

typedef struct egc_view {
    egc_csv_table runs;
    egc_csv_table evals; /* no rows when the folder has none */
    size_t *series_of_run;
    size_t *run_of_eval; /* EGC_VIEW_NONE: its run did not succeed */
    egc_series *series;  /* in order of appearance */
    size_t n_series;
    egc_settings settings[EGC_SCOPES];
    size_t n_left_out; /* runs that did not succeed; they belong to no series */
    egc_arena arena;
} egc_view;

#define EGC_VIEW_NONE ((size_t)-1)

/* Reads dir/runs.csv and, where there is one, dir/evals.csv. IO, FORMAT, MEMORY. */
egc_status egc_view_load(egc_view *view, const char *dir, egc_error *err) EGC_MUST_CHECK;

void egc_view_fini(egc_view *view);

/* Which values to summarise. */
typedef struct egc_choice {
    egc_scope scope;
    size_t setting;
    size_t series;
    const char *only_column; /* keep rows whose number in this column is only_value; NULL: all */
    double only_value;
} egc_choice;

typedef struct egc_spread {
    size_t n; /* 0: the others are NAN */
    double mean, low, high;
} egc_spread;

/* Mean and range, over seeds, of a column of runs.csv or of evals.csv. */
egc_spread egc_view_runs(const egc_view *view, const egc_choice *choice, const char *column);
egc_spread egc_view_evals(const egc_view *view, const egc_choice *choice, const char *column);

/* The different numbers of a column in ascending order; *values is the view's arena's. MEMORY. */
egc_status egc_view_distinct(egc_view *view, const egc_csv_table *table, const char *column,
                             double **values, size_t *n_values, egc_error *err) EGC_MUST_CHECK;

#endif
