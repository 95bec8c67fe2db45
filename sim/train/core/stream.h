/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream of a rank's device: an actor that does one thing after the other.
 *
 * The streams of a device run side by side. While they compute (as compression, decompression and
 * the sums of an exchange do) they share the cores of their host: with cores = 1, SimGrid's max-min
 * sharing gives each of two half of the device; with as many cores as streams none slows another.
 * Carrying bytes takes no core. */
#ifndef EGC_TRAIN_CORE_STREAM_H
#define EGC_TRAIN_CORE_STREAM_H

#include "train/config.h"

typedef struct egc_span {
    double start_s, end_s;
} egc_span;

/* Work on a bucket that one stream posts to another. */
typedef struct egc_task {
    uint64_t step;
    size_t bucket;
    bool delivered; /* true: decode the result of a round; false: compress the first message */
} egc_task;

typedef struct egc_stream {
    egc_world *world;
    const egc_train_sink *sink;
    int rank;
    egc_stream_kind kind;
    size_t lane;
    egc_task *tasks; /* a ring of those posted and not yet begun */
    size_t room, first, n_tasks;
    bool ends;
    egc_semaphore *posted; /* one signal per task, and one for the end */
} egc_stream;

/* A stream with a queue of `room` tasks. Borrows the world and the sink. MEMORY. */
egc_status egc_stream_init(egc_stream *stream, egc_world *world, const egc_train_sink *sink,
                           int rank, egc_stream_kind kind, size_t room,
                           egc_error *err) EGC_MUST_CHECK;

/* Accepts a zeroed stream. */
void egc_stream_fini(egc_stream *stream);

/* Occupies the device for `seconds` of its time, sets *when (end_s is INFINITY meanwhile) and adds
 * the event to the timeline; rank, stream and times of the event are filled in. 0 seconds take no
 * time and log nothing. IO of the sink. */
egc_status egc_stream_work(const egc_stream *stream, double seconds,
                           const egc_timeline_event *event, egc_span *when,
                           egc_error *err) EGC_MUST_CHECK;

/* As egc_stream_work, for callers that need the duration alone: adds it to *total. */
egc_status egc_stream_work_for(const egc_stream *stream, double seconds,
                               const egc_timeline_event *event, double *total,
                               egc_error *err) EGC_MUST_CHECK;

/* As egc_stream_work, for two things that together take the device `seconds`, the first of them
 * first_s. The time they take is divided between their events in that proportion. */
egc_status egc_stream_work_both(const egc_stream *stream, double seconds, double first_s,
                                const egc_timeline_event events[2], egc_span *when,
                                egc_error *err) EGC_MUST_CHECK;

/* Adds an event that began at start_s and ends now to the timeline. IO of the sink. */
egc_status egc_stream_log_event(const egc_stream *stream, double start_s,
                                const egc_timeline_event *event, egc_error *err) EGC_MUST_CHECK;

/* The same for a wait within `step`; one that took no time is left out. */
egc_status egc_stream_log_wait(const egc_stream *stream, double start_s, uint64_t step,
                               egc_error *err) EGC_MUST_CHECK;

/* Appends a task to the stream's queue, which must have room. */
void egc_stream_post(egc_stream *stream, egc_task task);

/* Announces that no more tasks will be posted. Accepts a zeroed stream. */
void egc_stream_end(egc_stream *stream);

/* Called by the stream itself: waits for the next task. False after the last. */
bool egc_stream_next(egc_stream *stream, egc_task *out);

#endif
