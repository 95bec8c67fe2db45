/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Works out the rounds of a method and the number format of each round's messages. */
#include "compressors/core/round_plan.h"

/* The round that carries a sparsifier's values, or a coder's only message. */
static egc_round value_round(const egc_method *method)
{
    const egc_compressor_type *type = method->compressor;
    egc_element element = type->traits & EGC_TRAIT_LINEAR ? type->element
                          : type->traits & EGC_TRAIT_SHARED
                              ? egc_method_value_codec(method)->element
                              : EGC_ELEMENT_NONE;
    return (egc_round){EGC_COLLECTIVE_ALLGATHER, element};
}

egc_round_plan egc_round_plan_of(const egc_method *method)
{
    const egc_compressor_type *type = method->compressor;
    egc_round_plan plan = {.rounds = egc_compressor_rounds(type, method->params)};
    for (size_t r = 0; plan.rounds && r < plan.rounds->count; r++) {
        egc_collective kind = plan.rounds->kind[r];
        bool summed = kind == EGC_COLLECTIVE_ALLREDUCE;
        plan.round[plan.n_rounds++] =
            (egc_round){kind, summed ? EGC_ELEMENT_FP32 : EGC_ELEMENT_NONE};
    }
    if (!plan.rounds || type->select)
        plan.round[plan.n_rounds++] = value_round(method);
    return plan;
}

size_t egc_round_plan_count(const egc_method *method)
{
    return egc_round_plan_of(method).n_rounds;
}

egc_round egc_round_plan_at(const egc_method *method, size_t round)
{
    return egc_round_plan_of(method).round[round];
}

const egc_value_codec *egc_round_plan_dense_codec(const egc_round_plan *plan)
{
    egc_element element = plan->round[plan->n_rounds - 1].element;
    const egc_value_codec *const *codec = egc_codec_value_types();
    while ((*codec)->element != (element ? element : EGC_ELEMENT_FP32))
        codec++;
    return *codec;
}
