/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of a results folder, arranged for figures.
 *
 * Figures compare *series*: a method with its parameters, and the algorithm and exchange it ran
 * with. Everything else except the seed is the *setting*. Runs of different settings are never
 * averaged: each setting gets a figure of its own. */
#ifndef EGC_PLOT_VIEW_H
#define EGC_PLOT_VIEW_H

#include "plot/label.h"
#include "plot/setting.h"

typedef struct egc_distinct {
    double *values; /* ascending */
    size_t n;
} egc_distinct;

typedef struct egc_view {
    egc_csv_table runs;
    egc_csv_table evals;   /* no rows if the folder has no evals.csv */
    size_t *series_of_run; /* EGC_SETTING_NONE: the run did not succeed */
    size_t *run_of_eval;   /* EGC_SETTING_NONE: its run did not succeed */
    egc_series *series;    /* in order of appearance */
    size_t n_series;
    egc_settings settings[EGC_SCOPES];
    egc_distinct bandwidths; /* in runs, in bytes per second */
    egc_distinct eval_steps; /* in evals */
    size_t n_left_out;       /* runs that did not succeed; they belong to no series */
    egc_arena arena;         /* owns the above and the scratch space of figures */
} egc_view;

/* Reads dir/runs.csv and, if it exists, dir/evals.csv. The caller calls egc_view_fini, also after a
 * failure. IO; FORMAT if a column that every run has is missing; MEMORY. */
egc_status egc_view_load(egc_view *view, const char *dir, egc_error *err) EGC_MUST_CHECK;

void egc_view_fini(egc_view *view);

/* Selects the rows to summarise. */
typedef struct egc_choice {
    egc_scope scope;
    size_t setting;
    size_t series;
    const char *only_column; /* keep rows whose number in this column is only_value; NULL: all */
    double only_value;
} egc_choice;

typedef struct egc_spread {
    size_t n; /* values; if 0 the others are NAN */
    double mean, low, high;
} egc_spread;

/* Mean and range, over seeds, of the finite numbers in a column of runs.csv or of evals.csv. */
egc_spread egc_view_runs(const egc_view *view, const egc_choice *choice, const char *column);
egc_spread egc_view_evals(const egc_view *view, const egc_choice *choice, const char *column);

#endif
