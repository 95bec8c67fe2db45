/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timelines as files DIR/timeline/RUN_ID.json in the Chrome trace event format ("Trace Event
 * Format", Google, 2016), which ui.perfetto.dev and chrome://tracing open. A process is a worker or
 * a server, a thread is one of its streams; times are simulated microseconds. */
#ifndef EGC_EXPERIMENT_RESULTS_TIMELINE_H
#define EGC_EXPERIMENT_RESULTS_TIMELINE_H

#include "base/buf.h"
#include "base/file/atomic_file.h"
#include "base/json/json.h"
#include "experiment/spec/experiment.h"

/* The part of a run that is kept, because viewers cannot open gigabytes. */
typedef struct egc_timeline_limits {
    uint64_t steps; /* number of first steps; 0: no timeline */
    size_t ranks;   /* number of first workers; all servers are kept */
} egc_timeline_limits;

/* The path in the record of a point, and the path in the results folder once it is published. */
egc_path egc_timeline_record_path(const char *record);
egc_path egc_timeline_path(const char *dir, const char *run_id);

/* Moves the timeline of a record, if it has one, into a results folder. IO. */
egc_status egc_timeline_publish(const char *record, const char *dir, const char *run_id,
                                egc_error *err) EGC_MUST_CHECK;

/* Copies a published timeline, if there is one, into a record. IO. */
egc_status egc_timeline_import(const char *dir, const char *run_id, const char *record,
                               egc_error *err) EGC_MUST_CHECK;

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct egc_timeline {
    egc_timeline_limits limits;
    size_t n_workers;
    size_t n_streams; /* streams a rank; with several servers also a lane for each */
    egc_atomic_file staged;
    egc_buf text; /* not yet in the file */
    egc_json_writer json;
    bool *known; /* [rank * n_streams + stream]: has been named */
    bool has_events;
} egc_timeline;

/* Begins the timeline of a point in the folder of its record. IO, MEMORY. */
egc_status egc_timeline_open(egc_timeline *file, const egc_timeline_limits *limits,
                             const char *record, const egc_point *point,
                             egc_error *err) EGC_MUST_CHECK;

/* Adds an event; events outside the limits are ignored. IO, MEMORY. */
egc_status egc_timeline_add(egc_timeline *file, const egc_timeline_event *event,
                            egc_error *err) EGC_MUST_CHECK;

/* Completes the file. Does nothing if it is not open. IO, MEMORY. */
egc_status egc_timeline_finish(egc_timeline *file, egc_error *err) EGC_MUST_CHECK;

/* Frees a timeline after success or failure; staged.fd may be -1. */
void egc_timeline_close(egc_timeline *file);

#endif
