/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results folder. Finished points are records in DIR/.spool; publishing moves them, in the
 * order of the points, into the CSV files. Each CSV file is replaced whole, so that it never
 * holds part of a row, and a record goes only when its rows are published, so that nothing
 * computed is lost, whenever the process ends. */
#ifndef EGC_EXPERIMENT_RESULTS_RESULTS_H
#define EGC_EXPERIMENT_RESULTS_RESULTS_H

#include "experiment/results/columns.h"
#include "experiment/results/point_record.h"

#define EGC_NO_POINT ((size_t)-1)

typedef struct egc_planned_point {
    char run_id[EGC_RUN_ID_LENGTH];
    size_t dense; /* the point that differs only in the method, which is "none"; or EGC_NO_POINT */
    bool is_wanted; /* it will be finished here */
} egc_planned_point;

/* What the folder is to hold when all is done. */
typedef struct egc_results_plan {
    egc_planned_point *points; /* in the order of their rows */
    size_t n_points;
    const char *const *axes; /* columns after those of egc_columns_tables[EGC_TABLE_RUNS] */
    size_t n_axes;
    bool has_table[EGC_N_TABLES];
} egc_results_plan;

/* The plan of an experiment, with every point wanted; it lives in arena. RANGE when two points
 * are the same run; MEMORY. */
egc_status egc_results_plan_new(const egc_experiment *experiment, egc_arena *arena,
                                egc_results_plan *out, egc_error *err) EGC_MUST_CHECK;

/* What is known of a point that is finished. */
typedef struct egc_point_state {
    bool is_finished;
    const char *status;
    const char *error;
    double step_s;
    double wall_s; /* on the host; NAN when unknown */
} egc_point_state;

typedef struct egc_results egc_results;

/* Opens DIR, made if need be, for this process alone. plan must outlive it. With resume, finished
 * points are taken from DIR's records and files, all of which must be the plan's; otherwise a
 * folder that holds results is refused with UNSUPPORTED. IO, FORMAT, MEMORY. */
egc_status egc_results_open(const char *dir, const egc_results_plan *plan, bool resume,
                            egc_results **out, egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. What is not published stays in DIR/.spool. */
void egc_results_close(egc_results *results);

const egc_results_plan *egc_results_get_plan(const egc_results *results);
const char *egc_results_dir(const egc_results *results);
const char *egc_results_spool(const egc_results *results);
const egc_point_state *egc_results_state(const egc_results *results, size_t point);

/* Takes note that the spool holds the record of a point. FORMAT, IO, MEMORY. */
egc_status egc_results_finish(egc_results *results, size_t point, egc_error *err) EGC_MUST_CHECK;

/* True when so many points wait that publishing them is worth rewriting the files: as many as are
 * published, so that all the rewriting together costs no more than twice the last one. */
bool egc_results_is_due(const egc_results *results);

/* Publishes the points that are finished, up to the first wanted one that is not, or whose dense
 * run is not. IO, MEMORY. */
egc_status egc_results_publish(egc_results *results, egc_error *err) EGC_MUST_CHECK;

/* Removes the records of what is published. Call it after what else depends on them is safe. */
egc_status egc_results_forget_records(egc_results *results, egc_error *err) EGC_MUST_CHECK;

/* Makes records of what the files of another folder, or of this one before anything is published,
 * hold of the plan's points. Points that are neither ok nor diverged are left out unless
 * failed_too. IO, FORMAT, MEMORY. */
egc_status egc_results_import(egc_results *results, const char *from, bool failed_too,
                              egc_error *err) EGC_MUST_CHECK;

/* UNSUPPORTED when the folder holds finished runs, of whatever status, that the plan does not have:
 * publishing would lose them. Touches nothing. IO, FORMAT, MEMORY. */
egc_status egc_results_import_check(const egc_results *results, egc_error *err) EGC_MUST_CHECK;

/* Joins the folders of an experiment's shards into out_dir: the same bytes as one whole run.
 * UNSUPPORTED when they are not of one experiment, or points are missing. IO, FORMAT, MEMORY. */
egc_status egc_results_merge(const char *const *dirs, size_t n_dirs, const char *out_dir,
                             egc_error *err) EGC_MUST_CHECK;

#endif
