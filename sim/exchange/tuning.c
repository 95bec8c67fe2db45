/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates closed forms on one network for all exchanges of a kind. The figures of a cluster that
 * they start from are in sim/train/core/exchange_choice.c. */
#include "exchange/tuning.h"

#include "exchange/groups.h"

/* Without groups in the network, exchanges of two levels form their own. */
static double cost_of(const egc_exchange_type *type, int p, double n,
                      const egc_exchange_network *network)
{
    if (type->two_levels && network->group > 1 && p % network->group == 0)
        return type->closed_form(p, n, network);
    double beta_s = type->neighbours ? network->beta_s : egc_groups_contended_beta(network);
    return egc_tuning_closed_form(type, p, n, network->alpha_s, beta_s, network->gamma_s);
}

const egc_exchange_type *egc_tuning_cheapest(egc_collective kind, int p, double n,
                                             const egc_exchange_network *network)
{
    const egc_exchange_type *cheapest = NULL;
    double least_s = 0;
    for (const egc_exchange_type *const *type = egc_exchange_types(); *type; type++) {
        if ((*type)->kind != kind)
            continue;
        double cost_s = cost_of(*type, p, n, network);
        if (cheapest && !(cost_s < least_s * (1 - 1e-9)))
            continue;
        cheapest = *type;
        least_s = cost_s;
    }
    return cheapest;
}

double egc_tuning_closed_form(const egc_exchange_type *type, int p, double n, double alpha,
                              double beta, double gamma)
{
    const egc_exchange_network flat = {.alpha_s = alpha,
                                       .beta_s = beta,
                                       .contended_beta_s = beta,
                                       .gamma_s = gamma,
                                       .group = egc_groups_choose(p, 0),
                                       .local_alpha_s = alpha,
                                       .local_beta_s = beta};
    bool empty = type->kind == EGC_COLLECTIVE_ALLREDUCE && !(n > 0);
    return empty ? 0 : type->closed_form(p, n, &flat);
}

double egc_tuning_least_bytes(egc_collective kind, int p, double n)
{
    double share = (p - 1.0) / p;
    switch (kind) {
    case EGC_COLLECTIVE_ALLREDUCE:
        return 2 * share * n;
    case EGC_COLLECTIVE_ALLGATHER:
        return (p - 1) * n;
    case EGC_COLLECTIVE_BROADCAST:
        return p > 1 ? n : 0;
    case EGC_COLLECTIVE_ALLTOALL:
        return share * n;
    }
    return 0;
}
