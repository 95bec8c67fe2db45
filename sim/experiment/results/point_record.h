/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The record of a finished point: a folder SPOOL/RUN_ID with the CSV files of a results folder for
 * this point alone, and the additional column wall_s in runs.csv. It is written under another name
 * and renamed when complete, so that a record that exists is complete. */
#ifndef EGC_EXPERIMENT_RESULTS_POINT_RECORD_H
#define EGC_EXPERIMENT_RESULTS_POINT_RECORD_H

#include "base/file/atomic_file.h"
#include "experiment/results/columns.h"
#include "experiment/results/csv.h"
#include "experiment/results/timeline.h"
#include "experiment/spec/experiment.h"

#define EGC_WALL_COLUMN "wall_s" /* seconds on the host; not in published files */

/* The folder of a complete record, and the path of one of its files. */
egc_path egc_point_record_path(const char *spool, const char *run_id);
egc_path egc_point_record_file(const char *spool, const char *run_id, egc_table table);

/* The folder of a record while it is written. */
egc_path egc_point_record_staged(const char *spool, const char *run_id);

/* Removes a record; it is renamed first, so that a partly removed one is not taken as complete. IO.
 */
egc_status egc_point_record_remove(const char *spool, const char *run_id,
                                   egc_error *err) EGC_MUST_CHECK;

/* Reads the runs.csv of a record. FORMAT if it does not have exactly one row; IO, MEMORY. */
egc_status egc_point_record_read(const char *spool, const char *run_id, egc_csv_table *out,
                                 egc_error *err) EGC_MUST_CHECK;

/* ---- writing --------------------------------------------------------------------------------- */

/* The end of a point. */
typedef struct egc_point_outcome {
    const char *status;               /* ok, diverged, failed or timeout */
    const char *error;                /* "" if ok */
    const egc_train_summary *summary; /* NULL if the child died */
    double wall_s;
} egc_point_outcome;

typedef struct egc_point_record {
    const egc_experiment *experiment;
    const egc_point *point;
    egc_path folder; /* while it is written */
    egc_path complete;
    struct egc_point_record_rows {
        egc_atomic_file file;
        egc_buf rows; /* not yet in the file */
    } tables[EGC_N_TABLES];
    egc_timeline timeline;
    egc_error failure; /* the first failed write; such a record cannot be finished */
} egc_point_record;

/* Begins the record of a point; experiment and point are borrowed. Removes an earlier record. IO.
 */
egc_status egc_point_record_open(egc_point_record *record, const char *spool,
                                 const egc_experiment *experiment, const egc_point *point,
                                 egc_error *err) EGC_MUST_CHECK;

/* Adds a timeline to the record, unless limits->steps is 0. IO, MEMORY. */
egc_status egc_point_record_keep_timeline(egc_point_record *record,
                                          const egc_timeline_limits *limits,
                                          egc_error *err) EGC_MUST_CHECK;

/* The sink that receives rows and events of training. It borrows record. */
egc_train_sink egc_point_record_sink(egc_point_record *record);

/* Writes the row of the run and completes the record. IO, MEMORY. */
egc_status egc_point_record_finish(egc_point_record *record, const egc_point_outcome *outcome,
                                   egc_error *err) EGC_MUST_CHECK;

/* Frees a record after success or failure, and removes the files of one that was not finished. */
void egc_point_record_close(egc_point_record *record);

#endif
