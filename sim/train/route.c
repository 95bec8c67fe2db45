/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/route.h"

#include <stdio.h>
#include <string.h>

bool egc_route_fits(egc_exchange_kind kind, const egc_round *round)
{
    switch (round->kind) {
    case EGC_ROUND_REDUCE:
        return kind == EGC_EXCHANGE_REDUCE;
    case EGC_ROUND_BROADCAST:
        return kind == EGC_EXCHANGE_BROADCAST;
    case EGC_ROUND_SCATTER:
        return kind == EGC_EXCHANGE_SCATTER;
    case EGC_ROUND_GATHER:
        break;
    }
    return kind == EGC_EXCHANGE_GATHER || (kind == EGC_EXCHANGE_REDUCE && round->element);
}

/* As tuned libraries choose: the ring for what can be summed on the way; for gathering, doubling
 * where it needs no extra rounds, since its messages are fewer and its bytes the same. */
static const char *usual(const egc_round *round, int64_t workers)
{
    switch (round->kind) {
    case EGC_ROUND_BROADCAST:
        return "broadcast-tree";
    case EGC_ROUND_SCATTER:
        return "alltoall";
    case EGC_ROUND_REDUCE:
    case EGC_ROUND_GATHER:
        break;
    }
    if (round->element)
        return "ring";
    return (workers & (workers - 1)) == 0 ? "allgather-rd" : "allgather-ring";
}

static egc_status refuse(const egc_route *route, const egc_training_config *config, egc_error *err)
{
    static const char *const does[] = {"sums", "gathers", "broadcasts", "scatters"};
    char usual_names[EGC_ROUTE_NAME];
    egc_route_name(route, usual_names);
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "exchange: %s %s messages, which suits no round of method %s; use auto (here "
                    "%s)",
                    config->exchange->name, does[config->exchange->kind], config->method.name,
                    usual_names);
}

/* No stand-in can say what depends on who a worker is. */
static egc_status check_sampling(const egc_route *route, const egc_training_config *config,
                                 egc_error *err)
{
    for (size_t r = 0; r < route->n_rounds && config->options.sampled_workers; r++) {
        egc_round_kind kind = route->round[r].kind;
        if (kind == EGC_ROUND_BROADCAST || kind == EGC_ROUND_SCATTER)
            return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                            "sampled_workers: method %s gives every worker a part of its own; must "
                            "be 0, got %lld",
                            config->method.name, (long long)config->options.sampled_workers);
    }
    return EGC_OK;
}

egc_status egc_route_init(egc_route *route, const egc_training_config *config, egc_error *err)
{
    bool used = config->exchange == NULL;
    *route = (egc_route){.n_rounds = egc_method_rounds(&config->method)};
    for (size_t r = 0; r < route->n_rounds; r++) {
        route->round[r] = egc_method_round(&config->method, r);
        bool fits = config->exchange && egc_route_fits(config->exchange->kind, &route->round[r]);
        used = used || fits;
        route->exchange[r] = config->exchange;
        if (fits)
            continue;
        const char *name = usual(&route->round[r], config->options.workers);
        egc_status status = egc_exchange_find(name, &route->exchange[r], err);
        if (status)
            return status;
    }
    return used ? check_sampling(route, config, err) : refuse(route, config, err);
}

void egc_route_name(const egc_route *route, char name[EGC_ROUTE_NAME])
{
    size_t used = 0;
    for (size_t r = 0; r < route->n_rounds; r++) {
        bool same = r > 0 && route->exchange[r] == route->exchange[r - 1];
        if (!same)
            used += (size_t)snprintf(name + used, EGC_ROUTE_NAME - used, "%s%s", r ? "+" : "",
                                     route->exchange[r]->name);
    }
}
