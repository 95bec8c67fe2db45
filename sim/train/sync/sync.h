/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker of the synchronous algorithm, and the streams it is made of. Private to sync*.c. */
#ifndef EGC_TRAIN_SYNC_SYNC_H
#define EGC_TRAIN_SYNC_SYNC_H

#include "net/transport/subgroup.h"
#include "train/algorithm.h"
#include "train/core/stream.h"
#include "train/sync/exchange_order.h"
#include "train/sync/failover.h"
#include "train/sync/round_transfer.h"
#include "train/sync/run.h"

typedef enum sync_stage {
    SYNC_ABSENT,    /* the message of its round is not made, or not compressed */
    SYNC_READY,     /* to be exchanged */
    SYNC_DELIVERED, /* to be decompressed */
    SYNC_MADE,      /* a later round's message is made, and to be compressed */
} sync_stage;

/* How far a bucket has come in its step. */
typedef struct sync_progress {
    size_t round, piece; /* to be exchanged next */
    sync_stage stage;
    double seconds; /* of device time, to take in what was delivered */
    double ready_s; /* since when it could be, as far as this worker is concerned */
    egc_gate *back; /* one signal when it has come back */
} sync_progress;

typedef struct sync_worker {
    egc_run *run;
    egc_learning *learning; /* the run's */
    size_t rank;
    egc_carrier carrier;
    egc_stream compute, compression, communication, cycle;
    egc_gate *begun;  /* one signal for each step */
    uint64_t n_begun; /* signals so far */
    uint64_t step;    /* the communication stream's */
    size_t left;      /* exchanges of rounds that have yet to end in it; 0: it has yet to begin */
    size_t bucket;    /* in the communication stream's hands */
    egc_received received;
    double backward_s;       /* when the backward pass under way began */
    egc_turns *turns;        /* shared */
    sync_progress *progress; /* of each bucket */
    egc_span *busy; /* compressing and decompressing in the step under way: see sync_busy_slot */
    egc_tally spent[2]; /* on even and odd steps: with priority two are under way */

    egc_survivors *survivors; /* shared; NULL: a loss ends the run */
    egc_subgroup group;       /* the transport among them, once there was one */
    uint64_t n_through;       /* exchanges that this worker knows to count */
    bool kept;                /* the message of an exchange that was begun and has yet to count */
    egc_gate *stale;          /* what `begun` was while streams are ended */
} sync_worker;

static inline const egc_training_options *sync_options(const sync_worker *w)
{
    return &w->learning->config->options;
}

static inline bool sync_has_compression(const sync_worker *w)
{
    return sync_options(w)->compress_on == EGC_COMPRESS_ON_STREAM;
}

static inline bool sync_by_priority(const sync_worker *w)
{
    return sync_options(w)->schedule == EGC_SCHEDULE_PRIORITY;
}

static inline bool sync_fuses(const sync_worker *w)
{
    return sync_options(w)->bucket_bytes == EGC_BUCKET_FUSION;
}

static inline egc_tally *sync_spent(sync_worker *w, uint64_t step)
{
    return &w->spent[step % 2];
}

/* Two for each round of each bucket: compressing and decompressing. */
static inline size_t sync_busy_slots(const egc_learning *learning)
{
    return 2 * learning->plan.n_buckets * learning->route.n_rounds;
}

static inline egc_span *sync_busy_slot(const sync_worker *w, size_t b, bool delivered)
{
    return &w->busy[2 * (b * w->learning->route.n_rounds + w->progress[b].round) + delivered];
}

static inline egc_timeline_event sync_event(const sync_worker *w, const char *name, uint64_t step,
                                            size_t b)
{
    return (egc_timeline_event){
        .name = name,
        .step = step,
        .layers = w->learning->plan.buckets[b].layers,
        .bucket = b,
        .round = w->progress[b].round,
    };
}

/* ---- sync_compute.c: the forward and the backward pass, and the end of a step ---------------- */

/* The actor of a worker's compute stream. Errors of the workload, the method and the world. */
egc_status sync_compute_stream(void *worker, egc_error *err) EGC_MUST_CHECK;

/* ---- sync_coding.c: compressing and decompressing, on whichever stream ----------------------- */

/* Charges the stream for the message of the bucket's round, which is made already. */
egc_status sync_compress(sync_worker *w, const egc_stream *stream, uint64_t step, size_t b,
                         egc_error *err) EGC_MUST_CHECK;

/* The first message of a bucket is made. */
void sync_offer(sync_worker *w, uint64_t step, size_t b);

/* The bucket waits for its turn. */
void sync_set_ready(sync_worker *w, size_t b);

/* A round of the bucket came: on to its next. */
egc_status sync_end_round(sync_worker *w, const egc_stream *stream, uint64_t step, size_t b,
                          egc_error *err) EGC_MUST_CHECK;

/* The actors of the streams that not all workers have. */
egc_status sync_compression_stream(void *worker, egc_error *err) EGC_MUST_CHECK;
egc_status sync_fusion_cycle(void *worker, egc_error *err) EGC_MUST_CHECK;

/* ---- sync_exchange.c: the communication stream ----------------------------------------------- */

/* Its actor. One that takes the place of another begins with what is left of the step that the
 * other was ended in. */
egc_status sync_communication_stream(void *worker, egc_error *err) EGC_MUST_CHECK;

/* A round of the bucket came whole. */
egc_status sync_accept_round(sync_worker *w, size_t b, egc_error *err) EGC_MUST_CHECK;

#endif
