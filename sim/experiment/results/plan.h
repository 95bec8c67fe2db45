/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The content of a results folder when its experiment is complete: the runs, in the order of their
 * rows, and the dense run that each is compared with. */
#ifndef EGC_EXPERIMENT_RESULTS_PLAN_H
#define EGC_EXPERIMENT_RESULTS_PLAN_H

#include "experiment/results/columns.h"
#include "experiment/spec/experiment.h"
#include "experiment/spec/index.h"

#define EGC_NO_POINT EGC_INDEX_NONE

typedef struct egc_planned_point {
    char run_id[EGC_RUN_ID_LENGTH];
    size_t dense;   /* point that is the same but for method "none", or EGC_NO_POINT */
    bool is_wanted; /* to be run here; false for points of other shards */
} egc_planned_point;

typedef struct egc_results_plan {
    egc_planned_point *points; /* in the order of their rows */
    size_t n_points;
    const char *const *axes; /* columns after those of egc_columns_tables[EGC_TABLE_RUNS] */
    size_t n_axes;
    bool has_table[EGC_N_TABLES];
} egc_results_plan;

/* Makes the plan of an experiment, whose run_ids are distinct, with every point wanted, in arena.
 * MEMORY. */
egc_status egc_results_plan_new(const egc_experiment *experiment, egc_arena *arena,
                                egc_results_plan *out, egc_error *err) EGC_MUST_CHECK;

/* Appends the header line of a published table. */
void egc_results_plan_put_header(const egc_results_plan *plan, egc_table table, egc_buf *row);

#endif
