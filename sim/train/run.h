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
#include "train/tally.h"

/* What a worker sends for one bucket of one step. */
typedef struct egc_outgoing {
    egc_buf message;
    double encode_s; /* device time that making it stands for */
} egc_outgoing;

typedef struct egc_run {
    const egc_training_config *config;
    const egc_training_sink *sink;
    egc_training_summary *summary;

    egc_workload *workload;
    egc_plan plan;
    egc_world *world;
    const egc_exchange_type *exchange;
    size_t n_workers;
    size_t n; /* parameters */
    double momentum;

    float *gradient; /* of the worker whose messages are being made */
    egc_encoder **encoder;
    egc_outgoing *outgoing[2]; /* of even and odd steps: worker by worker, bucket by bucket */
    egc_decoder *decoder;
    egc_workspace *workspace; /* shared: coders run one at a time */
    float *average;           /* what all workers agreed on, bucket by bucket */
    float *parameters;        /* NULL for open-loop workloads */
    float *velocity;          /* the optimiser's; NULL when the memory applies momentum */
    uint64_t *averaged;       /* of each bucket: 1 + the last step whose average is there */
    uint64_t *agreed;         /* of each bucket: a hash of the bytes that average was made from */

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

static inline egc_outgoing *egc_run_outgoing(egc_run *run, uint64_t step, size_t worker,
                                             size_t bucket)
{
    return &run->outgoing[step % 2][worker * run->plan.n_buckets + bucket];
}

/* Makes the gradients and messages of all workers at `step`, unless another worker has. */
egc_status egc_run_begin_step(egc_run *run, uint64_t step, egc_error *err) EGC_MUST_CHECK;

/* The average of a bucket from the messages of all ranks, or from their float sum (REDUCE). Does
 * the work for the first worker that asks; builds with asserts check that the others received the
 * same bytes. FORMAT. */
egc_status egc_run_average_messages(egc_run *run, uint64_t step, size_t bucket,
                                    const egc_buf *messages, egc_error *err) EGC_MUST_CHECK;
void egc_run_average_sum(egc_run *run, uint64_t step, size_t bucket, const float *sum);

/* A worker came to the end of `step`. The first applies the update and evaluates, the last reports
 * the step. */
egc_status egc_run_finish_step(egc_run *run, uint64_t step, egc_error *err) EGC_MUST_CHECK;

#endif
