/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results folder. Finished points are records in DIR/.spool; publishing moves them, in the order
 * of the points, into the CSV files. Each CSV file is replaced as a whole, so that it never ends
 * within a row; a record is removed only after its rows are published, so that no result is lost
 * whenever the process ends. */
#ifndef EGC_EXPERIMENT_RESULTS_RESULTS_H
#define EGC_EXPERIMENT_RESULTS_RESULTS_H

#include "experiment/results/plan.h"
#include "experiment/results/point_record.h"

/* The outcome of a finished point. */
typedef struct egc_point_state {
    bool is_finished;
    const char *status; /* ok, diverged, failed or timeout; lives as long as the results */
    const char *error;  /* "" when ok */
    double step_s;      /* simulated */
    double wall_s;      /* on the host; NAN when unknown */
} egc_point_state;

/* An open folder. Read the members, and change them only by the functions below. */
typedef struct egc_results {
    const egc_results_plan *plan; /* borrowed */
    egc_path dir;
    egc_path spool;          /* DIR/.spool: the records */
    egc_point_state *states; /* one a point of the plan */
    int lock;
    size_t n_published; /* points in the CSV files */
    size_t next;        /* first point that is neither published nor skipped */
    size_t forgotten;   /* first point whose record may still exist */
    bool has_files;     /* the CSV files were written by this object */
    egc_arena arena;
} egc_results;

/* Opens DIR for this process alone; makes the folder if it does not exist. plan is borrowed.
 * UNSUPPORTED when another process has it open, or it holds results and resume is false; with
 * resume, egc_results_import_resumed takes the results that are there. IO, MEMORY. */
egc_status egc_results_open(const char *dir, const egc_results_plan *plan, bool resume,
                            egc_results **out, egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. Records that were not published stay in DIR/.spool. */
void egc_results_close(egc_results *results);

/* True for "ok" and "diverged": such a point is not run again. */
bool egc_results_is_good(const char *status);

/* Marks a point as finished; its record must be in the spool. FORMAT, IO, MEMORY. */
egc_status egc_results_finish(egc_results *results, size_t point, egc_error *err) EGC_MUST_CHECK;

/* True when as many points wait to be published as are published, so that rewriting the files costs
 * in all at most twice the last rewriting. */
bool egc_results_is_due(const egc_results *results);

/* Publishes finished points up to the first one that is wanted but not finished, or whose dense run
 * is not. IO, MEMORY. */
egc_status egc_results_publish(egc_results *results, egc_error *err) EGC_MUST_CHECK;

/* Removes the records of published points. To be called when the manifest, too, is written. IO. */
egc_status egc_results_forget_records(egc_results *results, egc_error *err) EGC_MUST_CHECK;

#endif
