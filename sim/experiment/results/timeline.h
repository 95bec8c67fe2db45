/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timelines as files: DIR/timeline/RUN_ID.json, in the Chrome trace event format ("Trace Event
 * Format", Google, 2016) that ui.perfetto.dev and chrome://tracing open. A process is a worker or a
 * server, a thread one of its streams; times are simulated microseconds. */
#ifndef EGC_EXPERIMENT_RESULTS_TIMELINE_H
#define EGC_EXPERIMENT_RESULTS_TIMELINE_H

#include "base/buf.h"
#include "base/file/atomic_file.h"
#include "experiment/spec/experiment.h"

/* What a timeline keeps: viewers do not open gigabytes. */
typedef struct egc_timeline_limits {
    uint64_t steps; /* the first so many; 0: there is no timeline */
    size_t ranks;   /* the first so many workers, and all servers */
} egc_timeline_limits;

/* Of a finished point: in its record until it is published, then in the results folder. */
egc_path egc_timeline_record_path(const char *record);
egc_path egc_timeline_path(const char *dir, const char *run_id);

/* Moves a record's timeline, where it has one, into a results folder. IO. */
egc_status egc_timeline_publish(const char *record, const char *dir, const char *run_id,
                                egc_error *err) EGC_MUST_CHECK;

/* Copies a published timeline, where there is one, into a record. IO. */
egc_status egc_timeline_import(const char *dir, const char *run_id, const char *record,
                               egc_error *err) EGC_MUST_CHECK;

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct egc_timeline {
    egc_timeline_limits limits;
    size_t n_workers;
    size_t n_streams; /* of a rank, at most */
    egc_atomic_file staged;
    egc_buf text; /* not yet in the file */
    bool *known;  /* of each rank and stream: it has been named */
    bool has_events;
} egc_timeline;

/* Begins the timeline of a point in its record, which is under construction. IO, MEMORY. */
egc_status egc_timeline_open(egc_timeline *file, const egc_timeline_limits *limits,
                             const char *record, const egc_point *point,
                             egc_error *err) EGC_MUST_CHECK;

/* Adds an event that is within the limits. IO, MEMORY. */
egc_status egc_timeline_add(egc_timeline *file, const egc_timeline_event *event,
                            egc_error *err) EGC_MUST_CHECK;

/* Completes it. Nothing to do for one that is not open. IO, MEMORY. */
egc_status egc_timeline_finish(egc_timeline *file, egc_error *err) EGC_MUST_CHECK;

/* After success or failure; one whose draft has no file is fine, too. */
void egc_timeline_close(egc_timeline *file);

#endif
