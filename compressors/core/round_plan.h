/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rounds of a method: those the compressor asks for, then, but for coders of several rounds,
 * one that carries the values. */
#ifndef EGC_COMPRESSORS_CORE_ROUND_PLAN_H
#define EGC_COMPRESSORS_CORE_ROUND_PLAN_H

#include "compressors/core/method.h"

/* One round. With an element, messages are vectors of it without any header, and the sum of the
 * messages is the message of the sum: an ALLGATHER round may then be run as an ALLREDUCE. */
typedef struct egc_round {
    egc_collective kind;
    egc_element element;
} egc_round;

typedef struct egc_round_plan {
    const egc_rounds *rounds; /* the compressor's, or NULL */
    size_t n_rounds;
    egc_round round[EGC_ROUNDS_MAX + 1];
} egc_round_plan;

egc_round_plan egc_round_plan_of(const egc_method *method);

/* How many rounds a step takes, at most EGC_ROUNDS_MAX + 1, and one of them. */
size_t egc_round_plan_count(const egc_method *method);
egc_round egc_round_plan_at(const egc_method *method, size_t round);

/* The codec of units sent dense: the elements of the method's messages, or fp32. */
const egc_value_codec *egc_round_plan_dense_codec(const egc_round_plan *plan);

/* True if the compressor itself writes and reads the messages of this round. */
static inline bool egc_round_plan_is_own(const egc_round_plan *plan, size_t round)
{
    return plan->rounds && round < plan->rounds->count;
}

/* The last round carries the values of sparse, shared and dense units. */
static inline bool egc_round_plan_is_last(const egc_round_plan *plan, size_t round)
{
    return round + 1 == plan->n_rounds;
}

#endif
