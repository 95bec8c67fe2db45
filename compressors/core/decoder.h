/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The receiving side, one per replica of the model: results of rounds in, mean gradient out. */
#ifndef EGC_COMPRESSORS_CORE_DECODER_H
#define EGC_COMPRESSORS_CORE_DECODER_H

#include "compressors/core/coder.h"

typedef struct egc_decoder egc_decoder;

/* MEMORY. */
egc_status egc_decoder_new(const egc_coder_config *config, egc_decoder **out,
                           egc_error *err) EGC_MUST_CHECK;

/* As egc_encoder_regroup. */
void egc_decoder_regroup(egc_decoder *decoder, size_t n_workers);

/* Accepts NULL. */
void egc_decoder_free(egc_decoder *decoder);

/* The result of a round for units [first, first + count). */
typedef struct egc_decoder_input {
    uint64_t step;
    size_t round;
    size_t first;
    size_t count;
    size_t shard;         /* ALLTOALL rounds: the shard these messages are about */
    egc_reader *messages; /* consumed. One per worker in the order of ranks; a single one where the
                             round was summed (the sum) or broadcast (the leader's) */
    size_t n_messages;
    bool reduced; /* the single message is the sum of n_workers; always so under a merge rule, where
                     it comes from egc_merger_join */
    size_t origin; /* position in the flat vector of average[0]; 0 where that is the flat vector */
} egc_decoder_input;

/* Decodes it. In the last round writes the mean over workers, learning-rate correction included,
 * into the units' places of `average`, the flat vector from `origin` on; NULL in other rounds.
 * FORMAT for bytes that no encoder of this method and these units wrote, and for bytes left over;
 * NONFINITE when a sum overflowed its elements; MEMORY. */
egc_status egc_decoder_decode(egc_decoder *decoder, const egc_decoder_input *input, float *average,
                              egc_error *err) EGC_MUST_CHECK;

/* The correction last applied to a unit; 1 before the first. */
double egc_decoder_correction(const egc_decoder *decoder, size_t unit);

/* For encoders. The compressor's replica state of a unit: replica_size bytes, NULL where it has
 * none. */
const void *egc_decoder_replica(const egc_decoder *decoder, size_t unit);

/* The elements of a unit that the last merged message lists, ascending. */
const uint32_t *egc_decoder_merged(const egc_decoder *decoder, size_t unit, size_t *count);

#endif
