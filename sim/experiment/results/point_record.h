/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The record of one finished point: a folder SPOOL/RUN_ID with the files of a results folder that
 * holds this point alone, and in runs.csv the column wall_s besides. It is written under another
 * name and takes its own when complete, so that a record that is there is whole. */
#ifndef EGC_EXPERIMENT_RESULTS_POINT_RECORD_H
#define EGC_EXPERIMENT_RESULTS_POINT_RECORD_H

#include "base/file/atomic_file.h"
#include "experiment/results/columns.h"
#include "experiment/results/csv.h"
#include "experiment/results/timeline.h"
#include "experiment/spec/experiment.h"

/* Of the record's runs.csv only. */
#define EGC_WALL_COLUMN "wall_s"

egc_path egc_point_record_path(const char *spool, const char *run_id);
egc_path egc_point_record_file(const char *spool, const char *run_id, egc_table table);

/* Where it is while it is not complete. */
egc_path egc_point_record_staged(const char *spool, const char *run_id);

/* Removes a record, so that at no moment part of it passes for the whole. IO. */
egc_status egc_point_record_remove(const char *spool, const char *run_id,
                                   egc_error *err) EGC_MUST_CHECK;

/* The row of the record in runs.csv. FORMAT when it has not one row; IO when there is none. */
egc_status egc_point_record_read(const char *spool, const char *run_id, egc_csv_table *out,
                                 egc_error *err) EGC_MUST_CHECK;

/* Appends the header line of a table; extra columns follow those of egc_columns_tables. MEMORY. */
egc_status egc_columns_header(egc_table table, const char *const *extra, size_t n_extra,
                              egc_buf *out, egc_error *err) EGC_MUST_CHECK;

/* The columns of runs.csv after those of egc_columns_tables: the axes of an experiment that have
 * none there, and EGC_REPRODUCIBLE_COLUMN where it has a meaning. *out lives in arena. MEMORY. */
egc_status egc_columns_extra(const egc_experiment *experiment, egc_arena *arena,
                             const char *const **out, size_t *n_out, egc_error *err) EGC_MUST_CHECK;

/* ---- writing --------------------------------------------------------------------------------- */

/* How a point ended. */
typedef struct egc_point_outcome {
    const char *status;               /* ok, diverged, failed, timeout */
    const char *error;                /* "" when ok */
    const egc_train_summary *summary; /* NULL when nothing is known */
    double wall_s;
} egc_point_outcome;

typedef struct egc_point_record {
    const egc_experiment *experiment;
    const egc_point *point;
    egc_path folder; /* its name while under construction */
    egc_path complete;
    struct egc_point_record_rows {
        egc_atomic_file file;
        egc_buf rows; /* not yet in the file */
    } tables[EGC_N_TABLES];
    egc_timeline timeline;
    egc_error failure; /* the first to write rows: such a record cannot be finished */
} egc_point_record;

/* Begins the record of a point, discarding what an earlier attempt left. IO. */
egc_status egc_point_record_open(egc_point_record *record, const char *spool,
                                 const egc_experiment *experiment, const egc_point *point,
                                 egc_error *err) EGC_MUST_CHECK;

/* Has a timeline in the record, too, unless the limits leave nothing of it. IO, MEMORY. */
egc_status egc_point_record_keep_timeline(egc_point_record *record,
                                          const egc_timeline_limits *limits,
                                          egc_error *err) EGC_MUST_CHECK;

/* Where training puts its rows and events. record must outlive it. */
egc_train_sink egc_point_record_sink(egc_point_record *record);

/* Completes the record. IO, MEMORY. */
egc_status egc_point_record_finish(egc_point_record *record, const egc_point_outcome *outcome,
                                   egc_error *err) EGC_MUST_CHECK;

/* After success or failure. Leaves nothing on disk of a record that was not finished. */
void egc_point_record_close(egc_point_record *record);

#endif
