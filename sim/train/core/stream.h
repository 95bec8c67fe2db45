/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream of a rank's device: an actor that does one thing after the other.
 *
 * Streams of one device run side by side. As far as they compute (compressing and decompressing do,
 * and the sums of an exchange) they share the cores of their host: with cores = 1, SimGrid's
 * max-min gives each of two an equal half of the device; with as many cores as streams none slows
 * another. Carrying bytes takes no core. */
#ifndef EGC_TRAIN_CORE_STREAM_H
#define EGC_TRAIN_CORE_STREAM_H

#include "train/config.h"

typedef struct egc_span {
    double start_s, end_s;
} egc_span;

/* What one stream gives another to do with a bucket. */
typedef struct egc_task {
    uint64_t step;
    size_t bucket;
    bool delivered; /* take in what a round delivered; otherwise make the first message */
} egc_task;

typedef struct egc_stream {
    egc_world *world;
    const egc_train_sink *sink;
    int rank;
    egc_stream_kind kind;
    size_t lane;
    egc_task *tasks; /* a ring: those given and not yet taken */
    size_t room, first, n_tasks;
    bool ends;
    egc_semaphore *given; /* one signal for each, and one for the end */
} egc_stream;

/* A stream that at most `room` tasks wait for at a time. MEMORY. */
egc_status egc_stream_init(egc_stream *stream, egc_world *world, const egc_train_sink *sink,
                           int rank, egc_stream_kind kind, size_t room,
                           egc_error *err) EGC_MUST_CHECK;

/* Zeroed is fine, too. */
void egc_stream_fini(egc_stream *stream);

/* Occupies the device for `seconds` of its time, says in *when from when to when, and tells the
 * timeline. The event says what it is; its rank, stream and times are filled in. Work of no
 * seconds is none, and nothing is told. IO of the sink. */
egc_status egc_stream_work(const egc_stream *stream, double seconds,
                           const egc_timeline_event *event, egc_span *when,
                           egc_error *err) EGC_MUST_CHECK;

/* The same, of which only how long it lasted counts: that is added to *total. */
egc_status egc_stream_work_for(const egc_stream *stream, double seconds,
                               const egc_timeline_event *event, double *total,
                               egc_error *err) EGC_MUST_CHECK;

/* The same for two things in one go that the device takes `seconds` for, first_s of them for the
 * first. What they took is shared out between them in that proportion. */
egc_status egc_stream_work_both(const egc_stream *stream, double seconds, double first_s,
                                const egc_timeline_event events[2], egc_span *when,
                                egc_error *err) EGC_MUST_CHECK;

/* Tells the timeline of what began at start_s and ends now. */
egc_status egc_stream_log_event(const egc_stream *stream, double start_s,
                                const egc_timeline_event *event, egc_error *err) EGC_MUST_CHECK;

/* Tells the timeline of a wait for something of `step` that began at start_s and ends now. One of
 * no time is none. */
egc_status egc_stream_log_wait(const egc_stream *stream, double start_s, uint64_t step,
                               egc_error *err) EGC_MUST_CHECK;

/* Gives the stream something to do, after what it has been given before. */
void egc_stream_post(egc_stream *stream, egc_task task);

/* The stream is given no more. Zeroed is fine, too. */
void egc_stream_end(egc_stream *stream);

/* The next task; waits for one. False when there will be none. By the stream itself. */
bool egc_stream_next(egc_stream *stream, egc_task *out);

#endif
