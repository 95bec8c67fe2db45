/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exchange/exchange.h"

#include "base/param.h"
#include "base/registry.h"
#include "exchange/groups.h"

#define EGC_EXCHANGE(name) extern const egc_exchange_type egc_exchange_##name;
#include "exchange/list.def"
#undef EGC_EXCHANGE

static const egc_exchange_type *const types[] = {
#define EGC_EXCHANGE(name) &egc_exchange_##name,
#include "exchange/list.def"
#undef EGC_EXCHANGE
    NULL,
};

const egc_exchange_type *const *egc_exchange_types(void)
{
    return types;
}

egc_status egc_exchange_find(const char *name, const egc_exchange_type **out, egc_error *err)
{
    return egc_registry_find("exchange", name, (const void *const *)types, out, err);
}

static double cost_of(const egc_exchange_type *type, int p, double n,
                      const egc_exchange_network *network)
{
    if (type->grouped_form && network->group > 1 && p % network->group == 0)
        return type->grouped_form(p, n, network);
    double beta = type->neighbours ? network->beta_s : egc_groups_contended_beta(network);
    return type->closed_form(p, n, network->alpha_s, beta, network->gamma_s);
}

const egc_exchange_type *egc_tuning_cheapest(egc_collective kind, int p, double n,
                                             const egc_exchange_network *network)
{
    const egc_exchange_type *cheapest = NULL;
    double least_s = 0;
    for (const egc_exchange_type *const *type = types; *type; type++) {
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

void egc_exchange_scratch_fini(egc_exchange_scratch *scratch)
{
    egc_buf_fini(&scratch->in);
    egc_buf_fini(&scratch->out);
    egc_buf_fini(&scratch->sum);
    egc_buf_fini(&scratch->spare);
    egc_buf_fini(&scratch->plan);
}
