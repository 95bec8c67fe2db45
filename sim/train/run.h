/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of one run, shared by its actors, and what happens once a step.
 *
 * Workers of a synchronous step hold the same parameters and receive the same messages, so what is
 * the same for all of them is done once, by the first to need it: the gradients and messages of all
 * workers (in the order of ranks, so that no sum depends on who runs first), the decoded average of
 * a bucket, the update. Only the time they take is charged where it belongs: a message does not
 * depend on when it is made, and made at once its gradient is still in the cache and needs no
 * memory of its own. Builds with asserts hold a hash of what each worker received against the
 * others'. */
#ifndef EGC_TRAIN_RUN_H
#define EGC_TRAIN_RUN_H

#include "train/fidelity.h"
#include "train/plan.h"
#include "train/route.h"
#include "train/tally.h"

/* What a worker sends for one bucket in one round of one step. */
typedef struct egc_outgoing {
    egc_buf message; /* REDUCE exchanges leave the sum in it */
    egc_buf *pieces; /* of SCATTER rounds, instead: one for each worker */
    double bytes;    /* as it was made */
    double encode_s; /* device time that making it stands for */
} egc_outgoing;

/* What an exchange delivered to a worker. */
typedef struct egc_received {
    const egc_buf *messages; /* one a worker; one where it was reduced or broadcast */
    size_t n_messages;
    size_t shard; /* of SCATTER rounds: this worker */
    bool reduced;
} egc_received;

typedef struct egc_run {
    const egc_training_config *config;
    const egc_training_sink *sink;
    egc_training_summary *summary;

    egc_workload *workload;
    egc_plan plan;
    egc_route route;
    egc_world *world;
    size_t n_workers;
    size_t n; /* parameters */
    double momentum;

    float *gradient; /* of the worker whose messages are being made */
    egc_encoder **encoder;
    egc_outgoing *outgoing; /* see egc_run_outgoing */
    egc_reader *readers;    /* n_workers, to work with */
    egc_decoder *decoder;
    egc_workspace *workspace; /* shared: coders run one at a time */
    float *average;           /* what all workers agreed on, bucket by bucket */
    float *parameters;        /* NULL for open-loop workloads */
    float *velocity;          /* the optimiser's; NULL when the memory applies momentum */
    uint64_t *taken;          /* of each bucket and round: 1 + the last step that was taken in */
    uint64_t *agreed;         /* of each bucket and round: a hash of the bytes that came */

    egc_fidelity fidelity;
    egc_tally tally[2]; /* of even and odd steps: nobody is ever two steps ahead */
    egc_run_totals totals;
    double message_bytes_total;
    double network_bytes_seen;
    uint64_t steps_begun;
    uint64_t steps_applied;
} egc_run;

egc_status egc_run_init(egc_run *run, const egc_training_config *config,
                        const egc_training_sink *sink, egc_training_summary *summary,
                        egc_error *err) EGC_MUST_CHECK;
void egc_run_fini(egc_run *run);

static inline egc_tally *egc_run_tally(egc_run *run, uint64_t step)
{
    return &run->tally[step % 2];
}

static inline egc_outgoing *egc_run_outgoing(egc_run *run, uint64_t step, size_t round,
                                             size_t worker, size_t bucket)
{
    size_t slot = (step % 2 * run->route.n_rounds + round) * run->n_workers + worker;
    return &run->outgoing[slot * run->plan.n_buckets + bucket];
}

/* Makes the gradients and first messages of all workers at `step`, unless another worker has. */
egc_status egc_run_begin_step(egc_run *run, uint64_t step, egc_error *err) EGC_MUST_CHECK;

/* Makes a worker's message of a later round, once it has taken in the round before. */
egc_status egc_run_make_message(egc_run *run, uint64_t step, size_t round, size_t worker,
                                size_t bucket, egc_error *err) EGC_MUST_CHECK;

/* Takes in what a round delivered to one worker. Does the work for the first worker that comes, who
 * stands for all (but in SCATTER rounds, of which everyone gets another part); builds with asserts
 * check that the others received the same bytes. After the last round the bucket's average is
 * there. FORMAT; NONFINITE. */
egc_status egc_run_take(egc_run *run, uint64_t step, size_t round, size_t bucket,
                        const egc_received *received, egc_error *err) EGC_MUST_CHECK;

/* A worker came to the end of `step`. The first applies the update and evaluates, the last reports
 * the step. */
egc_status egc_run_finish_step(egc_run *run, uint64_t step, egc_error *err) EGC_MUST_CHECK;

#endif
