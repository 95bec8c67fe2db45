/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker of the synchronous algorithm and its streams: private to the files of sync/, but for the
 * two functions at the end. */
#ifndef EGC_TRAIN_SYNC_SYNC_H
#define EGC_TRAIN_SYNC_SYNC_H

#include "net/transport/subgroup.h"
#include "train/algorithm.h"
#include "train/core/stream.h"
#include "train/sync/exchange_order.h"
#include "train/sync/failover.h"
#include "train/sync/round_transfer.h"
#include "train/sync/run.h"

typedef enum egc_sync_stage {
    EGC_SYNC_ABSENT,    /* the message of its round is not made, or not compressed */
    EGC_SYNC_READY,     /* to be exchanged */
    EGC_SYNC_DELIVERED, /* to be decompressed */
    EGC_SYNC_MADE,      /* a later round's message is made, and to be compressed */
} egc_sync_stage;

/* How far a bucket has come in its step. */
typedef struct egc_sync_progress {
    size_t round, piece; /* to be exchanged next */
    egc_sync_stage stage;
    double seconds;      /* device time of decoding the result */
    double ready_s;      /* time since which this worker's message is ready */
    egc_semaphore *back; /* one signal when it has come back */
} egc_sync_progress;

typedef struct egc_sync_worker {
    egc_sync_run *run;
    egc_engine *engine; /* the run's */
    size_t rank;
    egc_round_transfer transfer;
    egc_stream compute, compression, communication, cycle;
    egc_semaphore *begun; /* one signal for each step */
    uint64_t n_begun;     /* signals so far */
    uint64_t step;        /* the communication stream's */
    size_t left;   /* exchanges of rounds that have yet to end in it; 0: it has yet to begin */
    size_t bucket; /* in the communication stream's hands */
    egc_round_result received;
    double backward_s;           /* when the backward pass under way began */
    egc_exchange_order *order;   /* shared */
    egc_sync_progress *progress; /* per bucket */
    egc_span
        *busy; /* compressing and decompressing in the step under way: see egc_sync_busy_slot */
    egc_step_times spent[2]; /* on even and odd steps: with priority two are under way */

    egc_failover *failover; /* shared; NULL: a loss ends the run */
    egc_subgroup group;     /* the transport among them, once there was one */
    uint64_t n_through;     /* exchanges that this worker knows to count */
    bool kept;              /* the message of an exchange that was begun and has yet to count */
    egc_semaphore *stale;   /* the former `begun`, while streams are ended */
} egc_sync_worker;

static inline const egc_train_options *egc_sync_options(const egc_sync_worker *w)
{
    return &w->engine->config->options;
}

static inline bool egc_sync_has_compression(const egc_sync_worker *w)
{
    return egc_sync_options(w)->compress_on == EGC_COMPRESS_ON_STREAM;
}

static inline bool egc_sync_by_priority(const egc_sync_worker *w)
{
    return egc_sync_options(w)->exchange_order == EGC_EXCHANGE_ORDER_PRIORITY;
}

static inline bool egc_sync_fuses(const egc_sync_worker *w)
{
    return egc_sync_options(w)->bucket_bytes == EGC_BUCKET_FUSION;
}

static inline egc_step_times *egc_sync_times(egc_sync_worker *w, uint64_t step)
{
    return &w->spent[step % 2];
}

/* Two for each round of each bucket: compressing and decompressing. */
static inline size_t egc_sync_busy_slots(const egc_engine *engine)
{
    return 2 * engine->partition.n_buckets * engine->choice.n_rounds;
}

static inline egc_span *egc_sync_busy_slot(const egc_sync_worker *w, size_t b, bool delivered)
{
    return &w->busy[2 * (b * w->engine->choice.n_rounds + w->progress[b].round) + delivered];
}

static inline egc_timeline_event egc_sync_event(const egc_sync_worker *w, const char *name,
                                                uint64_t step, size_t b)
{
    return (egc_timeline_event){
        .name = name,
        .step = step,
        .layers = w->engine->partition.buckets[b].layers,
        .bucket = b,
        .round = w->progress[b].round,
    };
}

/* ---- compute.c: the forward and the backward pass, and the end of a step ---------------- */

/* The actor of a worker's compute stream. Errors of the workload, the method and the world. */
egc_status egc_sync_compute_stream(void *worker, egc_error *err) EGC_MUST_CHECK;

/* ---- coding.c: compressing and decompressing, on whichever stream ----------------------- */

/* Charges the stream for the message of the bucket's round, which is made already. */
egc_status egc_sync_coding_compress(egc_sync_worker *w, const egc_stream *stream, uint64_t step,
                                    size_t b, egc_error *err) EGC_MUST_CHECK;

/* The first message of a bucket is made. */
void egc_sync_coding_offer(egc_sync_worker *w, uint64_t step, size_t b);

/* The bucket waits for its turn. */
void egc_sync_coding_set_ready(egc_sync_worker *w, size_t b);

/* Continues a bucket whose round has a result. */
egc_status egc_sync_coding_end_round(egc_sync_worker *w, const egc_stream *stream, uint64_t step,
                                     size_t b, egc_error *err) EGC_MUST_CHECK;

/* The actors of the streams that not all workers have. */
egc_status egc_sync_coding_stream(void *worker, egc_error *err) EGC_MUST_CHECK;
egc_status egc_sync_coding_fusion_cycle(void *worker, egc_error *err) EGC_MUST_CHECK;

/* ---- communicate.c: the communication stream ----------------------------------------------- */

/* The main of the communication stream. A new actor continues the step in which the former one was
 * ended. */
egc_status egc_sync_communicate_stream(void *worker, egc_error *err) EGC_MUST_CHECK;

/* Decodes the result of a whole round of the bucket. */
egc_status egc_sync_communicate_accept_round(egc_sync_worker *w, size_t b,
                                             egc_error *err) EGC_MUST_CHECK;

/* ---- sync.c: for algorithms that exchange as sync does -------------------------------------- */

/* For egc_algorithm_type.check: whether exchanges carry the method's rounds. UNSUPPORTED. */
egc_status egc_sync_check(const egc_train_config *config, egc_error *err) EGC_MUST_CHECK;

/* For egc_algorithm_type.run: synchronous steps with or without local steps. */
egc_status egc_sync_train(const egc_train_config *config, const egc_engine_local *local,
                          const egc_train_sink *sink, egc_train_summary *out,
                          egc_error *err) EGC_MUST_CHECK;

#endif
