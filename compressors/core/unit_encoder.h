/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The encoder's work on one unit, and the state of an encoder that it works on. */
#ifndef EGC_COMPRESSORS_CORE_UNIT_ENCODER_H
#define EGC_COMPRESSORS_CORE_UNIT_ENCODER_H

#include "compressors/core/decoder.h"
#include "compressors/core/encoding.h"
#include "compressors/core/round_plan.h"

/* The encoder's state of one unit. */
typedef struct egc_encoder_unit {
    void *state; /* the compressor's; NULL where it has none */
    bool dense;
    const float *gradient; /* the gradient of the current step, until it is compensated; borrowed */
    float max_abs;         /* largest magnitude of the vector to send in the current step */
    egc_encoding encoding;
    egc_buf sent; /* egc_sent: elements that the exchange may drop */
} egc_encoder_unit;

/* An element sent, and the value to subtract from the residual if it survives the exchange. */
typedef struct egc_sent {
    uint32_t index;
    float value;
} egc_sent;

typedef struct egc_encoder {
    egc_method method;
    egc_round_plan plan;
    const egc_error_feedback_type *error_feedback;
    double momentum;
    size_t worker;
    size_t n_workers;
    double local_clip; /* 0: none */
    uint64_t seed;     /* seed of this worker's draws */
    uint64_t run_seed;
    const egc_decoder *replica; /* borrowed */
    egc_workspace *work;        /* borrowed */
    uint64_t *support;          /* borrowed, or NULL */
    bool may_drop; /* the exchange may drop elements: error feedback waits for its result */

    egc_unit *units;
    egc_encoder_unit *unit; /* one per unit */
    size_t n_units;
    size_t n; /* elements of the flat vector */

    float *velocity;   /* n, or NULL */
    float *residual;   /* n, or NULL */
    float *input;      /* n, or NULL: the vector to send, where later rounds need it and error
                          feedback does not keep it */
    uint32_t *sent_at; /* n: 1 + the step at which each element was last sent; NULL without
                          residual */
    float *clean;      /* n, or NULL: the gradient without NaN and Inf */

    /* State of the current step. */
    uint64_t step;
    double lr;        /* NAN: none */
    double lr_before; /* the rate of the last step that had one and was not skipped */
    double norm2;     /* squared norm of the gradient handed in so far */
    float scale;      /* factor of clipping */
    bool skip;        /* nonfinite = "skip" applies */
} egc_encoder;

/* True if this worker leads in a BROADCAST round of the current step. */
static inline bool egc_unit_encoder_leads(const egc_encoder *encoder)
{
    return encoder->step % encoder->n_workers == encoder->worker;
}

/* Appends one unit's part of the message of one round. NONFINITE; MEMORY. */
egc_status egc_unit_encoder_message(egc_encoder *encoder, size_t unit, size_t round, size_t shard,
                                    egc_buf *wire, egc_error *err) EGC_MUST_CHECK;

/* Error feedback of coders of several rounds, for a unit that is not dense: subtracts the mean that
 * the rounds delivered. */
egc_status egc_unit_encoder_finish(egc_encoder *encoder, size_t unit,
                                   egc_error *err) EGC_MUST_CHECK;

/* Error feedback after an exchange that may drop elements: subtracts the elements sent that are in
 * its result. The others stay in the residual. */
void egc_unit_encoder_settle(egc_encoder *encoder, size_t unit);

#endif
