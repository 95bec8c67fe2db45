/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of an egc_encoder: encoder.c has its life, steps and messages, encode.c what happens
 * to one unit. */
#ifndef EGC_COMPRESSORS_CORE_ENCODER_H
#define EGC_COMPRESSORS_CORE_ENCODER_H

#include "compressors/core/frame.h"
#include "compressors/core/workspace.h"

/* What the encoder knows of a unit. */
typedef struct egc_encoder_unit {
    void *state; /* the compressor's; NULL where it has none */
    bool dense;
    const float *gradient; /* of the step under way, until it is compensated; borrowed */
    float max_abs;         /* of the input of the step under way */
    egc_encoding encoding;
    egc_buf sent; /* of egc_sent: what may yet be dropped on the way */
} egc_encoder_unit;

/* What the memory loses if an element survives. */
typedef struct egc_sent {
    uint32_t index;
    float value;
} egc_sent;

struct egc_encoder {
    egc_method method;
    egc_round_plan plan;
    const egc_error_feedback_type *error_feedback;
    double momentum;
    size_t worker;
    size_t n_workers;
    double local_clip; /* 0: none */
    uint64_t seed;     /* of this worker's draws */
    uint64_t shared_seed;
    const egc_decoder *replica; /* borrowed */
    egc_workspace *work;        /* borrowed */
    uint64_t *support;          /* borrowed, or NULL */
    bool may_drop;              /* the exchange may: what was sent is known after it */

    egc_unit *units;
    egc_encoder_unit *unit; /* of each of them */
    size_t n_units;
    size_t n; /* floats in all */

    float *velocity;   /* n, or NULL */
    float *residual;   /* n, or NULL */
    float *input;      /* n: what there is to send, where later rounds need what the memory does not
                          keep; or NULL */
    uint32_t *sent_at; /* 1 + the step at which each element was last sent; NULL without residual */
    float *clean;      /* n, made on the first gradient with NaN or Inf in it */

    /* Of the step under way. */
    uint64_t step;
    double lr;        /* NAN: none */
    double lr_before; /* of the last step that had one and was not skipped */
    double norm2;     /* squared norm of the gradient, as far as it was handed in */
    float scale;      /* factor of clipping */
    bool skip;
};

/* Whether this worker speaks in a BROADCAST round of the step under way. */
static inline bool egc_encoder_leads(const egc_encoder *encoder)
{
    return encoder->step % encoder->n_workers == encoder->worker;
}

/* Appends a unit's part of the message of one round. */
egc_status egc_unit_encoder_message(egc_encoder *encoder, size_t unit, size_t round, size_t shard,
                                    egc_buf *wire, egc_error *err) EGC_MUST_CHECK;

/* Takes what the rounds delivered out of the memory of a unit that is not dense. */
egc_status egc_unit_encoder_finish(egc_encoder *encoder, size_t unit,
                                   egc_error *err) EGC_MUST_CHECK;

/* Takes what was sent and not dropped out of it. */
void egc_unit_encoder_settle(egc_encoder *encoder, size_t unit);

/* What the replica knows of a unit: replica_size bytes. */
const void *egc_decoder_replica(const egc_decoder *decoder, size_t unit);

/* The elements of a unit that the last merged message lists, ascending. */
const uint32_t *egc_decoder_merged(const egc_decoder *decoder, size_t unit, size_t *count);

/* The seed of the draws that all workers share at one step of one unit. */
uint64_t egc_workspace_shared_seed(uint64_t run_seed);

#endif
