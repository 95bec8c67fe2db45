/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The training half of a synchronous run: gradients, messages, decoding, the update and its
 * evaluation. None of it depends on the network or the device, so there are two implementations:
 * one trains (live.h), the other replays the log of a run with the same training
 * (replay.h). sync.c, which knows the times, drives either of them alike:
 *
 *     egc_engine_begin_step           once a step
 *     for each round of each bucket:
 *         egc_engine_encode           by each worker; messages of round 0 are made already
 *         exchange the egc_engine_message of each worker
 *         egc_engine_decode           by each worker
 *     egc_engine_end_step             once a step
 *
 * and finds in egc_engine_stats the sums to charge and to report.
 *
 * With sampled_workers = S only S workers compute, the sampled workers. At every step each of the
 * others sends the messages, and is charged the time, of one of them, its proxy, drawn anew; the
 * result is that of a run of S workers. No bytes of such runs and of replays are read: they are
 * size_only (egc_transport). */
#ifndef EGC_TRAIN_SYNC_ENGINE_ENGINE_H
#define EGC_TRAIN_SYNC_ENGINE_ENGINE_H

#include "train/core/exchange_choice.h"
#include "train/core/partition.h"
#include "train/core/round_result.h"
#include "train/metrics/step_stats.h"

/* A worker's message for one bucket in one round of one step. */
typedef struct egc_round_message {
    egc_buf message; /* all-reduces leave the sum in it */
    egc_buf *pieces; /* all-to-all rounds: one piece for each worker instead */
    double made_s;   /* host time of making it; 0 when replayed */
} egc_round_message;

/* The vector that workers compress. Zeroed: one gradient. */
typedef struct egc_engine_local {
    uint64_t steps;    /* local steps of SGD: the sum of their directions; 0: one gradient */
    bool own_momentum; /* each worker's, in its local steps; otherwise once an exchange */
} egc_engine_local;

typedef struct egc_engine egc_engine;

/* The times and bytes of one exchange, of all workers. */
typedef struct egc_transfer_check {
    size_t finished;       /* workers that have ended it */
    double start_s, end_s; /* the first worker's begin, the last worker's end */
    double bytes;          /* sent or received by at least one worker */
} egc_transfer_check;

typedef struct egc_engine_type {
    size_t size; /* size of the struct that begins with an egc_engine */

    /* Sets workload. */
    egc_status (*open)(egc_engine *engine, egc_error *err);

    /* Called when partition, messages and stats are made. NULL: nothing to do. */
    egc_status (*start)(egc_engine *engine, egc_error *err);

    egc_status (*begin_step)(egc_engine *engine, uint64_t step, egc_error *err);

    /* These may be NULL: begin_step did it all. */
    egc_status (*encode)(egc_engine *engine, uint64_t step, size_t round, size_t worker,
                         size_t bucket, egc_error *err);
    egc_status (*decode)(egc_engine *engine, uint64_t step, size_t round, size_t bucket,
                         const egc_round_result *result, egc_error *err);
    egc_status (*end_step)(egc_engine *engine, uint64_t step, egc_error *err);

    /* The group has become smaller. NULL: it never does. */
    void (*regroup)(egc_engine *engine);

    /* Also after open or start have failed. NULL: nothing to free. */
    void (*close)(egc_engine *engine);
} egc_engine_type;

struct egc_engine {
    const egc_engine_type *type;
    const egc_train_config *config;
    const egc_workload *workload; /* its model and layers; only engine_live may ask it for more */
    egc_engine_local local;
    egc_partition partition;
    egc_exchange_choice choice;
    size_t n_workers;
    size_t n_sampled; /* the first so many workers compute and compress */
    int *members;     /* workers that take part, ascending: all, until some are lost */
    size_t n_members;
    bool size_only;
    size_t n;                            /* parameters */
    egc_round_message *messages;         /* see egc_engine_message */
    double *decoded_s;                   /* per bucket and round: host time of the last decoding */
    egc_merger **mergers;                /* per bucket, if sparse messages are summed; or NULL */
    egc_transfer_check *transfer_checks; /* per bucket and round, used by round_transfer.c */
    egc_step_stats stats[2];             /* for even and odd steps: no worker is two steps ahead */
    size_t *proxy[2];                    /* per worker, likewise; NULL: all workers compute */
    egc_arena arena;
};

/* An engine of the given type: egc_engine_live_type trains, egc_engine_replay_type replays
 * config->replay. config is borrowed; *out is the caller's, to be given to egc_engine_free. Errors
 * of the workload and the method; FORMAT when the log is not one of this configuration; MEMORY. */
egc_status egc_engine_new(const egc_train_config *config, const egc_engine_type *type,
                          const egc_engine_local *local, egc_engine **out,
                          egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_engine_free(egc_engine *engine);

static inline egc_step_stats *egc_engine_stats(egc_engine *engine, uint64_t step)
{
    return &engine->stats[step % 2];
}

/* How many workers compress: the first so many of the group. */
static inline size_t egc_engine_n_encoders(const egc_engine *engine)
{
    return engine->n_members < engine->n_sampled ? engine->n_members : engine->n_sampled;
}

/* The sampled worker that `worker` is a copy of at `step`: itself if it is sampled. */
static inline size_t egc_engine_proxy(const egc_engine *engine, uint64_t step, size_t worker)
{
    const size_t *proxy = engine->proxy[step % 2];
    return proxy ? proxy[worker] : worker;
}

static inline egc_round_message *egc_engine_message(egc_engine *engine, uint64_t step, size_t round,
                                                    size_t worker, size_t bucket)
{
    size_t sampled = egc_engine_proxy(engine, step, worker);
    size_t slot = (step % 2 * engine->choice.n_rounds + round) * engine->n_sampled + sampled;
    return &engine->messages[slot * engine->partition.n_buckets + bucket];
}

static inline double *egc_engine_decoded_s(const egc_engine *engine, size_t round, size_t bucket)
{
    return &engine->decoded_s[bucket * engine->choice.n_rounds + round];
}

/* The pieces that a message is cut into, and each of them: one, the whole, where it is not cut. */
static inline size_t egc_engine_pieces(const egc_engine *engine, const egc_round_message *message)
{
    return message->pieces ? engine->n_workers : 1;
}

static inline egc_buf *egc_round_message_piece(egc_round_message *message, size_t piece)
{
    return message->pieces ? &message->pieces[piece] : &message->message;
}

/* The stats of a unit in a worker's message of a round. */
static inline egc_part_stats *egc_engine_part(egc_engine *engine, uint64_t step, size_t round,
                                              size_t worker, size_t unit)
{
    size_t sampled = egc_engine_proxy(engine, step, worker);
    size_t slot = round * engine->n_sampled + sampled;
    return &egc_engine_stats(engine, step)->parts[slot * engine->partition.n_units + unit];
}

/* Continues with n workers, ascending, all of them members so far. The state of the others is lost.
 */
void egc_engine_regroup(egc_engine *engine, const int *members, size_t n);

/* Makes the gradients and first messages of all workers at `step`. */
egc_status egc_engine_begin_step(egc_engine *engine, uint64_t step, egc_error *err) EGC_MUST_CHECK;

/* Makes a worker's message of a later round, once it has decoded the round before. NONFINITE,
 * MEMORY. */
egc_status egc_engine_encode(egc_engine *engine, uint64_t step, size_t round, size_t worker,
                             size_t bucket, egc_error *err) EGC_MUST_CHECK;

/* Decodes the result of a round for one worker. FORMAT, NONFINITE, MEMORY. */
egc_status egc_engine_decode(egc_engine *engine, uint64_t step, size_t round, size_t bucket,
                             const egc_round_result *result, egc_error *err) EGC_MUST_CHECK;

/* Applies the update, and evaluates where that is due. A worker has all buckets back. */
egc_status egc_engine_end_step(egc_engine *engine, uint64_t step, egc_error *err) EGC_MUST_CHECK;

/* Device seconds of making a worker's message of a round, which is made already, and of decoding
 * the result of a round ("measured": from the host time of its last decoding). */
double egc_engine_encode_time(egc_engine *engine, uint64_t step, size_t round, size_t worker,
                              size_t bucket);
double egc_engine_decode_time(const egc_engine *engine, size_t round, size_t bucket,
                              const egc_round_result *result);

#endif
