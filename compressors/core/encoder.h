/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compressing side of one worker: gradient in, one message per round out. */
#ifndef EGC_COMPRESSORS_CORE_ENCODER_H
#define EGC_COMPRESSORS_CORE_ENCODER_H

#include "compressors/core/coder.h"
#include "compressors/core/decoder.h"
#include "compressors/core/encoding.h"

typedef struct egc_encoder egc_encoder;

/* A step of one worker as it begins. */
typedef struct egc_step_input {
    uint64_t step;
    double lr;             /* in force at this step; NAN where there is none */
    const float *gradient; /* the flat vector; borrowed until its last first-round message */
} egc_step_input;

/* Statistics of a gradient, or of its part, as it was handed in. */
typedef struct egc_gradient_check {
    double norm2;     /* squared L2 norm of the finite elements */
    size_t nan_count; /* handled as the method's nonfinite option says */
    size_t inf_count;
} egc_gradient_check;

/* The encoder of worker `worker`. `replica` is the decoder that decodes this worker's results: it
 * may be shared by all workers of a run, is borrowed, and may be NULL for methods of one round
 * whose exchange drops nothing. MEMORY. */
egc_status egc_encoder_new(const egc_coder_config *config, size_t worker,
                           const egc_decoder *replica, egc_encoder **out,
                           egc_error *err) EGC_MUST_CHECK;

/* Renumbers after other workers failed: from now on this is worker `worker` of n_workers, no more
 * than before. Clipping follows the new number. Not for methods with ALLTOALL or BROADCAST
 * rounds, whose messages depend on the old numbers. */
void egc_encoder_regroup(egc_encoder *encoder, size_t worker, size_t n_workers);

/* Accepts NULL. */
void egc_encoder_free(egc_encoder *encoder);

/* Begins a step whose gradient is handed in by units; lr as in egc_step_input. */
void egc_encoder_begin(egc_encoder *encoder, uint64_t step, double lr);

/* Hands in the gradient of units [first, first + count), one after the other, once per step;
 * borrowed until their first-round message. Counts NaN and Inf in them, and sets the factor of
 * clipping from all that was handed in: with clip, or nonfinite = "skip", the last unit must come
 * before the first message. NONFINITE, naming the unit and the counts, under nonfinite = "error";
 * MEMORY. */
egc_status egc_encoder_gradient(egc_encoder *encoder, size_t first, size_t count,
                                const float *gradient, egc_gradient_check *out,
                                egc_error *err) EGC_MUST_CHECK;

/* Begins a step and hands in the whole gradient. Errors as egc_encoder_gradient. */
egc_status egc_encoder_step(egc_encoder *encoder, const egc_step_input *input,
                            egc_gradient_check *out, egc_error *err) EGC_MUST_CHECK;

/* Appends this worker's message of one round for units [first, first + count) to wire: in ALLTOALL
 * rounds the message for the owner of `shard`, to be called for each shard in turn; in BROADCAST
 * rounds nothing unless the worker leads. Round 0 compensates; once per unit and step. NONFINITE
 * when the residual overflowed; MEMORY. */
egc_status egc_encoder_message(egc_encoder *encoder, size_t round, size_t first, size_t count,
                               size_t shard, egc_buf *wire, egc_error *err) EGC_MUST_CHECK;

/* After the replica decoded the last round for these units: completes error feedback where it
 * depends on the result. MEMORY. */
egc_status egc_encoder_finish(egc_encoder *encoder, size_t first, size_t count,
                              egc_error *err) EGC_MUST_CHECK;

/* Statistics of the step for one unit, complete after egc_encoder_finish. Borrowed. */
const egc_encoding *egc_encoder_encoding(const egc_encoder *encoder, size_t unit);

/* The vectors of error feedback, as long as the flat vector; NULL when the type has none.
 * Borrowed. */
const float *egc_encoder_residual(const egc_encoder *encoder);
const float *egc_encoder_velocity(const egc_encoder *encoder);

#endif
