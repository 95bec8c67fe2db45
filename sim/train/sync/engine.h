/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a synchronous run learns, apart from how long it takes: gradients, messages, decoding, the
 * update and its evaluation. None of it depends on the network or the device, so there are two
 * implementations: one trains (live.h), the other replays the log of a run that learnt the same
 * (replay.h). Times are algorithms/sync.c's, which drives either of them alike:
 *
 *     egc_engine_begin_step           once a step
 *     for each round of each bucket:
 *         egc_engine_encode     by each worker; those of round 0 are made already
 *         exchange what egc_engine_message says
 *         egc_engine_decode             by each worker
 *     egc_engine_end_step             once a step
 *
 * and finds in egc_engine_stats what to charge and to report.
 *
 * With sampled_workers = S only S workers learn. At every step each of the others sends and is
 * charged as one of them, its stand-in, drawn anew; what is learnt is what S workers would. Runs
 * whose bytes are not looked at, these and replays, are hollow: see egc_transport. */
#ifndef EGC_TRAIN_SYNC_ENGINE_H
#define EGC_TRAIN_SYNC_ENGINE_H

#include "train/core/partition.h"
#include "train/metrics/step_stats.h"
#include "train/sync/exchange_choice.h"

/* What a worker sends for one bucket in one round of one step. */
typedef struct egc_round_message {
    egc_buf message; /* ALLREDUCE exchanges leave the sum in it */
    egc_buf *pieces; /* of ALLTOALL rounds, instead: one for each worker */
    double made_s;   /* making it took on the host; 0 when replayed */
} egc_round_message;

/* What an exchange delivered to a worker. */
typedef struct egc_round_result {
    const egc_buf *messages; /* one a worker; one where it was reduced or broadcast */
    size_t n_messages;
    size_t shard; /* of ALLTOALL rounds: this worker */
    bool reduced;
} egc_round_result;

typedef struct egc_engine egc_engine;

/* The times and bytes of one exchange, of all workers. */
typedef struct egc_transfer_check {
    size_t finished;       /* workers that are through */
    double start_s, end_s; /* of the first to begin and the last to end */
    double bytes;          /* that some worker must have sent or received */
} egc_transfer_check;

typedef struct egc_engine_type {
    size_t size; /* of the struct that begins with an egc_engine */

    /* Sets workload. */
    egc_status (*open)(egc_engine *engine, egc_error *err);

    /* Plan, outgoing and learnt are there. */
    egc_status (*start)(egc_engine *engine, egc_error *err);

    egc_status (*begin_step)(egc_engine *engine, uint64_t step, egc_error *err);
    egc_status (*make_message)(egc_engine *engine, uint64_t step, size_t round, size_t worker,
                               size_t bucket, egc_error *err);
    egc_status (*take)(egc_engine *engine, uint64_t step, size_t round, size_t bucket,
                       const egc_round_result *received, egc_error *err);
    egc_status (*end_step)(egc_engine *engine, uint64_t step, egc_error *err);

    /* The members are fewer. NULL: they never are. */
    void (*regroup)(egc_engine *engine);

    /* Also after open or start have failed. */
    void (*close)(egc_engine *engine);
} egc_engine_type;

struct egc_engine {
    const egc_engine_type *type;
    const egc_train_config *config;
    const egc_workload *workload; /* its model and layers; only who trains may ask it for more */
    egc_partition partition;
    egc_exchange_choice choice;
    size_t n_workers;
    size_t n_sampled; /* the first so many workers */
    int *members;     /* workers that take part, ascending: all, until some are lost */
    size_t n_members;
    bool size_only;
    size_t n;                    /* parameters */
    egc_round_message *outgoing; /* see egc_engine_message */
    double *taken_s;             /* of each bucket and round: taking it in last took on the host */
    egc_merger **mergers;        /* of each bucket, where the route sums sparse messages; or NULL */
    egc_transfer_check *transfer_checks; /* of each bucket and round: carrier.c's */
    egc_step_stats stats[2];             /* of even and odd steps: nobody is ever two steps ahead */
    size_t *proxy[2];                    /* of the workers, likewise; NULL: all learn */
    egc_arena arena;
};

/* Trains, or replays config->replay where there is one. config is borrowed. Errors of the workload
 * and the method; FORMAT when the log is not one of this configuration. */
egc_status egc_engine_new(const egc_train_config *config, egc_engine **out,
                          egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_engine_free(egc_engine *engine);

static inline egc_step_stats *egc_engine_stats(egc_engine *engine, uint64_t step)
{
    return &engine->stats[step % 2];
}

/* How many compress gradients of their own: the first so many members. */
static inline size_t egc_engine_n_encoders(const egc_engine *engine)
{
    return engine->n_members < engine->n_sampled ? engine->n_members : engine->n_sampled;
}

/* Whose messages a worker sends at `step`: its own where it learns. */
static inline size_t egc_engine_proxy(const egc_engine *engine, uint64_t step, size_t worker)
{
    const size_t *proxy = engine->proxy[step % 2];
    return proxy ? proxy[worker] : worker;
}

static inline egc_round_message *egc_engine_message(egc_engine *engine, uint64_t step, size_t round,
                                                    size_t worker, size_t bucket)
{
    size_t learner = egc_engine_proxy(engine, step, worker);
    size_t slot = (step % 2 * engine->choice.n_rounds + round) * engine->n_sampled + learner;
    return &engine->outgoing[slot * engine->partition.n_buckets + bucket];
}

static inline double *egc_engine_decoded_s(const egc_engine *engine, size_t round, size_t bucket)
{
    return &engine->taken_s[bucket * engine->choice.n_rounds + round];
}

/* The pieces that a message is cut into, and each of them: one, the whole, where it is not cut. */
static inline size_t egc_engine_pieces(const egc_engine *engine, const egc_round_message *out)
{
    return out->pieces ? engine->n_workers : 1;
}

static inline egc_buf *egc_round_message_piece(egc_round_message *out, size_t piece)
{
    return out->pieces ? &out->pieces[piece] : &out->message;
}

/* What a worker's message of a round has of a unit. */
static inline egc_part_stats *egc_engine_part(egc_engine *engine, uint64_t step, size_t round,
                                              size_t worker, size_t unit)
{
    size_t learner = egc_engine_proxy(engine, step, worker);
    size_t slot = round * engine->n_sampled + learner;
    return &egc_engine_stats(engine, step)->parts[slot * engine->partition.n_units + unit];
}

/* Goes on with those workers alone: n of them, ascending, of those that took part so far. What the
 * others held is lost. */
void egc_engine_regroup(egc_engine *engine, const int *members, size_t n);

/* Makes the gradients and first messages of all workers at `step`. */
egc_status egc_engine_begin_step(egc_engine *engine, uint64_t step, egc_error *err) EGC_MUST_CHECK;

/* Makes a worker's message of a later round, once it has taken in the round before. */
static inline egc_status egc_engine_encode(egc_engine *engine, uint64_t step, size_t round,
                                           size_t worker, size_t bucket, egc_error *err)
{
    return engine->type->make_message(engine, step, round, worker, bucket, err);
}

/* Takes in what a round delivered to one worker. FORMAT; NONFINITE. */
static inline egc_status egc_engine_decode(egc_engine *engine, uint64_t step, size_t round,
                                           size_t bucket, const egc_round_result *received,
                                           egc_error *err)
{
    return engine->type->take(engine, step, round, bucket, received, err);
}

/* Applies the update, and evaluates where it is due. All buckets have come back to a worker. */
static inline egc_status egc_engine_end_step(egc_engine *engine, uint64_t step, egc_error *err)
{
    return engine->type->end_step(engine, step, err);
}

#endif
