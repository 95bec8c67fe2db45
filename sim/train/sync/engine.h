/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a synchronous run learns, apart from how long it takes: gradients, messages, decoding, the
 * update and its evaluation. None of it depends on the network or the device, so there are two
 * implementations: one trains (live.h), the other replays the log of a run that learnt the same
 * (replay.h). Times are algorithms/sync.c's, which drives either of them alike:
 *
 *     egc_learning_begin_step           once a step
 *     for each round of each bucket:
 *         egc_learning_make_message     by each worker; those of round 0 are made already
 *         exchange what egc_learning_outgoing says
 *         egc_learning_take             by each worker
 *     egc_learning_end_step             once a step
 *
 * and finds in egc_learning_learnt what to charge and to report.
 *
 * With sampled_workers = S only S workers learn. At every step each of the others sends and is
 * charged as one of them, its stand-in, drawn anew; what is learnt is what S workers would. Runs
 * whose bytes are not looked at, these and replays, are hollow: see egc_transport. */
#ifndef EGC_TRAIN_SYNC_ENGINE_H
#define EGC_TRAIN_SYNC_ENGINE_H

#include "train/core/partition.h"
#include "train/metrics/learnt.h"
#include "train/sync/exchange_choice.h"

/* What a worker sends for one bucket in one round of one step. */
typedef struct egc_outgoing {
    egc_buf message; /* REDUCE exchanges leave the sum in it */
    egc_buf *pieces; /* of SCATTER rounds, instead: one for each worker */
    double made_s;   /* making it took on the host; 0 when replayed */
} egc_outgoing;

/* What an exchange delivered to a worker. */
typedef struct egc_received {
    const egc_buf *messages; /* one a worker; one where it was reduced or broadcast */
    size_t n_messages;
    size_t shard; /* of SCATTER rounds: this worker */
    bool reduced;
} egc_received;

typedef struct egc_learning egc_learning;

/* The times and bytes of one exchange, of all workers. */
typedef struct egc_passage {
    size_t finished;       /* workers that are through */
    double start_s, end_s; /* of the first to begin and the last to end */
    double bytes;          /* that some worker must have sent or received */
} egc_passage;

typedef struct egc_learning_type {
    size_t size; /* of the struct that begins with an egc_learning */

    /* Sets workload. */
    egc_status (*open)(egc_learning *learning, egc_error *err);

    /* Plan, outgoing and learnt are there. */
    egc_status (*start)(egc_learning *learning, egc_error *err);

    egc_status (*begin_step)(egc_learning *learning, uint64_t step, egc_error *err);
    egc_status (*make_message)(egc_learning *learning, uint64_t step, size_t round, size_t worker,
                               size_t bucket, egc_error *err);
    egc_status (*take)(egc_learning *learning, uint64_t step, size_t round, size_t bucket,
                       const egc_received *received, egc_error *err);
    egc_status (*end_step)(egc_learning *learning, uint64_t step, egc_error *err);

    /* The members are fewer. NULL: they never are. */
    void (*regroup)(egc_learning *learning);

    /* Also after open or start have failed. */
    void (*close)(egc_learning *learning);
} egc_learning_type;

struct egc_learning {
    const egc_learning_type *type;
    const egc_training_config *config;
    const egc_workload *workload; /* its model and layers; only who trains may ask it for more */
    egc_plan plan;
    egc_route route;
    size_t n_workers;
    size_t n_learners; /* the first so many workers */
    int *members;      /* workers that take part, ascending: all, until some are lost */
    size_t n_members;
    bool hollow;
    size_t n;               /* parameters */
    egc_outgoing *outgoing; /* see egc_learning_outgoing */
    double *taken_s;        /* of each bucket and round: taking it in last took on the host */
    egc_merger **mergers;   /* of each bucket, where the route sums sparse messages; or NULL */
    egc_passage *passages;  /* of each bucket and round: carrier.c's */
    egc_learnt learnt[2];   /* of even and odd steps: nobody is ever two steps ahead */
    size_t *stand_in[2];    /* of the workers, likewise; NULL: all learn */
    egc_arena arena;
};

/* Trains, or replays config->replay where there is one. config is borrowed. Errors of the workload
 * and the method; FORMAT when the log is not one of this configuration. */
egc_status egc_learning_new(const egc_training_config *config, egc_learning **out,
                            egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_learning_free(egc_learning *learning);

static inline egc_learnt *egc_learning_learnt(egc_learning *learning, uint64_t step)
{
    return &learning->learnt[step % 2];
}

/* How many compress gradients of their own: the first so many members. */
static inline size_t egc_learning_senders(const egc_learning *learning)
{
    return learning->n_members < learning->n_learners ? learning->n_members : learning->n_learners;
}

/* Whose messages a worker sends at `step`: its own where it learns. */
static inline size_t egc_learning_stand_in(const egc_learning *learning, uint64_t step,
                                           size_t worker)
{
    const size_t *stand_in = learning->stand_in[step % 2];
    return stand_in ? stand_in[worker] : worker;
}

static inline egc_outgoing *egc_learning_outgoing(egc_learning *learning, uint64_t step,
                                                  size_t round, size_t worker, size_t bucket)
{
    size_t learner = egc_learning_stand_in(learning, step, worker);
    size_t slot = (step % 2 * learning->route.n_rounds + round) * learning->n_learners + learner;
    return &learning->outgoing[slot * learning->plan.n_buckets + bucket];
}

static inline double *egc_learning_taken_s(const egc_learning *learning, size_t round,
                                           size_t bucket)
{
    return &learning->taken_s[bucket * learning->route.n_rounds + round];
}

/* The pieces that a message is cut into, and each of them: one, the whole, where it is not cut. */
static inline size_t egc_learning_pieces(const egc_learning *learning, const egc_outgoing *out)
{
    return out->pieces ? learning->n_workers : 1;
}

static inline egc_buf *egc_outgoing_piece(egc_outgoing *out, size_t piece)
{
    return out->pieces ? &out->pieces[piece] : &out->message;
}

/* What a worker's message of a round has of a unit. */
static inline egc_learnt_part *egc_learning_part(egc_learning *learning, uint64_t step,
                                                 size_t round, size_t worker, size_t unit)
{
    size_t learner = egc_learning_stand_in(learning, step, worker);
    size_t slot = round * learning->n_learners + learner;
    return &egc_learning_learnt(learning, step)->parts[slot * learning->plan.n_units + unit];
}

/* Goes on with those workers alone: n of them, ascending, of those that took part so far. What the
 * others held is lost. */
void egc_learning_regroup(egc_learning *learning, const int *members, size_t n);

/* Makes the gradients and first messages of all workers at `step`. */
egc_status egc_learning_begin_step(egc_learning *learning, uint64_t step,
                                   egc_error *err) EGC_MUST_CHECK;

/* Makes a worker's message of a later round, once it has taken in the round before. */
static inline egc_status egc_learning_make_message(egc_learning *learning, uint64_t step,
                                                   size_t round, size_t worker, size_t bucket,
                                                   egc_error *err)
{
    return learning->type->make_message(learning, step, round, worker, bucket, err);
}

/* Takes in what a round delivered to one worker. FORMAT; NONFINITE. */
static inline egc_status egc_learning_take(egc_learning *learning, uint64_t step, size_t round,
                                           size_t bucket, const egc_received *received,
                                           egc_error *err)
{
    return learning->type->take(learning, step, round, bucket, received, err);
}

/* Applies the update, and evaluates where it is due. All buckets have come back to a worker. */
static inline egc_status egc_learning_end_step(egc_learning *learning, uint64_t step,
                                               egc_error *err)
{
    return learning->type->end_step(learning, step, err);
}

#endif
