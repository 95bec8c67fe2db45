/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learning by training.
 *
 * Workers of a synchronous step hold the same parameters and receive the same messages, so what is
 * the same for all of them is done once, by the first to need it: the gradients and messages of all
 * workers (in the order of ranks, so that no sum depends on who runs first), the decoded average of
 * a bucket, the update. Only the time they take is charged where it belongs: a message does not
 * depend on when it is made, and made at once its gradient is still in the cache and needs no
 * memory of its own. Builds with asserts hold a hash of what each worker received against the
 * others'. */
#ifndef EGC_TRAIN_SYNC_ENGINE_LIVE_H
#define EGC_TRAIN_SYNC_ENGINE_LIVE_H

#include "compressors/core/encoder.h"
#include "train/metrics/fidelity.h"
#include "train/sync/engine.h"

extern const egc_engine_type egc_engine_live_type;

typedef struct egc_engine_live {
    egc_engine base;
    egc_workload *workload;
    double momentum;

    float *gradient; /* of the worker whose messages are being made */
    egc_encoder **encoder;
    egc_reader *readers; /* n_sampled, to work with */
    egc_buf sum;         /* of learners' messages, in hollow runs */
    egc_decoder *decoder;
    egc_workspace *workspace; /* shared: coders run one at a time */
    float *average;           /* what all workers agreed on, bucket by bucket */
    float *parameters;        /* NULL for open-loop workloads */
    float *velocity;          /* the optimiser's; NULL when the memory applies momentum */
    uint64_t *support;        /* bits of the elements that any worker sends; NULL: none is chosen */
    egc_buf joined;           /* what came of messages merged on the way */
    uint64_t *taken;          /* of each bucket and round: 1 + the last step that was taken in */
    uint64_t *agreed;         /* of each bucket and round: a hash of the bytes that came */
    egc_fidelity fidelity;
} egc_engine_live;

/* The rounds of a step (rounds.c). Of what was delivered, the first worker that comes takes it in
 * for all (but in ALLTOALL rounds, of which everyone gets another part); after the last round the
 * bucket's average is there. */
egc_status egc_engine_live_begin_step(egc_engine *engine, uint64_t step,
                                      egc_error *err) EGC_MUST_CHECK;
egc_status egc_engine_live_encode(egc_engine *engine, uint64_t step, size_t round, size_t worker,
                                  size_t bucket, egc_error *err) EGC_MUST_CHECK;
egc_status egc_engine_live_decode(egc_engine *engine, uint64_t step, size_t round, size_t bucket,
                                  const egc_round_result *received, egc_error *err) EGC_MUST_CHECK;

#endif
