/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/sync/exchange_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/param.h"

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

/* ---- what is assumed ------------------------------------------------------------------------- */

static egc_exchange_network network_of(const egc_training_config *config, int group)
{
    egc_cluster_paths paths = egc_cluster_paths_of(config->cluster, config->cluster_params);
    bool charged = config->options.cost != EGC_COST_NONE;
    egc_exchange_network network = {
        .alpha_s = paths.latency_s,
        .beta_s = 1 / paths.bandwidth_Bps,
        .crowd_beta_s = 1 / paths.crowd_Bps,
        .gamma_s = charged ? 3 / config->device.memory_Bps : 0,
        .group = group,
        .near_alpha_s = paths.near_latency_s,
        .near_beta_s = paths.near > 1 ? 1 / paths.near_bandwidth_Bps : 0,
    };
    if (paths.near > 1 &&
        (size_t)config->options.workers <= paths.near) { /* all of them are near */
        network.alpha_s = paths.near_latency_s;
        network.beta_s = network.crowd_beta_s = 1 / paths.near_bandwidth_Bps;
    }
    return network;
}

static int group_of(const egc_training_config *config)
{
    egc_cluster_paths paths = egc_cluster_paths_of(config->cluster, config->cluster_params);
    int64_t workers = config->options.workers;
    int64_t given = config->options.group ? config->options.group
                    : paths.near > 1      ? (int64_t)paths.near
                                          : 0;
    return (int)(given < workers ? given : workers);
}

/* Bytes of a round's messages. */
static double bytes_of(const egc_training_config *config, const egc_round *round)
{
    enum { USUAL_BUCKET = 25 << 20 };
    double bucket = config->options.bucket_bytes > 0 ? config->options.bucket_bytes : USUAL_BUCKET;
    double density = egc_method_density(&config->method, UINT64_MAX);
    if (isnan(density))
        density = 0.01;
    switch (round->kind) {
    case EGC_ROUND_REDUCE:
        return bucket;
    case EGC_ROUND_BROADCAST:
        return density * bucket;
    case EGC_ROUND_GATHER:
    case EGC_ROUND_SCATTER:
        break;
    }
    return round->element ? bucket : 2 * density * bucket;
}

static egc_exchange_kind kind_of(const egc_round *round)
{
    switch (round->kind) {
    case EGC_ROUND_REDUCE:
        return EGC_EXCHANGE_REDUCE;
    case EGC_ROUND_BROADCAST:
        return EGC_EXCHANGE_BROADCAST;
    case EGC_ROUND_SCATTER:
        return EGC_EXCHANGE_SCATTER;
    case EGC_ROUND_GATHER:
        break;
    }
    return round->element ? EGC_EXCHANGE_REDUCE : EGC_EXCHANGE_GATHER;
}

static const egc_exchange_type *cheapest(const egc_route *route, const egc_training_config *config,
                                         const egc_round *round)
{
    egc_exchange_network network = network_of(config, route->group);
    return egc_exchange_cheapest(kind_of(round), (int)config->options.workers,
                                 bytes_of(config, round), &network);
}

/* ---- the route ------------------------------------------------------------------------------- */

egc_merge_rule egc_route_merge(const egc_sparse_type *type)
{
    /* Who keeps of parts cannot know the k largest of all. */
    return !type->keeps ? EGC_MERGE_ALL : type->cuts ? EGC_MERGE_ABOVE : EGC_MERGE_LARGEST;
}

static egc_status init_sparse(egc_route *route, const egc_training_config *config, egc_error *err)
{
    if (config->options.sampled_workers)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "sampled_workers: %s sums the messages of all workers on the way; must be "
                        "0, got %lld",
                        config->sparse->name, (long long)config->options.sampled_workers);
    route->sparse = config->sparse;
    route->merge = egc_route_merge(config->sparse);
    if (egc_merge_check(&config->method, route->merge, err))
        return egc_error_prefix(err, "exchange: %s sums sparse messages", route->sparse->name);
    return EGC_OK;
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
    *route = (egc_route){
        .n_rounds = egc_method_rounds(&config->method),
        .group = group_of(config),
        .host_Bps = egc_cluster_paths_of(config->cluster, config->cluster_params).host_Bps,
    };
    for (size_t r = 0; r < route->n_rounds; r++)
        route->round[r] = egc_method_round(&config->method, r);
    if (config->sparse)
        return init_sparse(route, config, err);
    for (size_t r = 0; r < route->n_rounds; r++) {
        bool fits = config->exchange && egc_route_fits(config->exchange->kind, &route->round[r]);
        used = used || fits;
        route->exchange[r] = fits ? config->exchange : cheapest(route, config, &route->round[r]);
    }
    return used ? check_sampling(route, config, err) : refuse(route, config, err);
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *egc_route_asked(const egc_training_config *config)
{
    return config->sparse     ? config->sparse->name
           : config->exchange ? config->exchange->name
                              : "auto";
}

void egc_route_name(const egc_route *route, char name[EGC_ROUTE_NAME])
{
    size_t used = 0;
    if (route->sparse)
        snprintf(name, EGC_ROUTE_NAME, "%s", route->sparse->name);
    for (size_t r = 0; r < route->n_rounds && !route->sparse; r++) {
        bool same = r > 0 && route->exchange[r] == route->exchange[r - 1];
        if (!same)
            used += (size_t)snprintf(name + used, EGC_ROUTE_NAME - used, "%s%s", r ? "+" : "",
                                     route->exchange[r]->name);
    }
}

void egc_route_sums(const egc_route *route, char name[EGC_ROUTE_NAME])
{
    size_t used = 0;
    if (route->sparse)
        snprintf(name, EGC_ROUTE_NAME, "%s", route->sparse->name);
    for (size_t r = 0; r < route->n_rounds && !route->sparse; r++) {
        const egc_exchange_type *type = route->exchange[r];
        const char *plus = r ? "+" : "";
        if (type->kind != EGC_EXCHANGE_REDUCE)
            used += (size_t)snprintf(name + used, EGC_ROUTE_NAME - used, "%sany", plus);
        else if (type->grouped_form)
            used += (size_t)snprintf(name + used, EGC_ROUTE_NAME - used, "%s%s/%d", plus,
                                     type->name, route->group);
        else
            used += (size_t)snprintf(name + used, EGC_ROUTE_NAME - used, "%s%s", plus, type->name);
    }
}

/* Every exchange's descriptor begins with its name. */
static egc_status fail_unknown(const char *name, egc_error *err)
{
    enum { ROOM = 64 };
    const void *all[ROOM] = {NULL};
    size_t n = 0;
    for (const egc_exchange_type *const *type = egc_exchange_types(); *type && n + 1 < ROOM; type++)
        all[n++] = *type;
    for (const egc_sparse_type *const *type = egc_sparse_types(); *type && n + 1 < ROOM; type++)
        all[n++] = *type;
    return egc_fail_unknown(err, "exchange", name, all);
}

egc_status egc_route_find(const char *name, const egc_exchange_type **exchange,
                          const egc_sparse_type **sparse, egc_error *err)
{
    *exchange = NULL;
    *sparse = NULL;
    if (!egc_exchange_find(name, exchange, NULL) || !egc_sparse_find(name, sparse, NULL))
        return EGC_OK;
    return fail_unknown(name, err);
}
