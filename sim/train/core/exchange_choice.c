/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An all-gather of dense vectors is replaced by an all-reduce; otherwise a round is carried by an
 * exchange of its own kind. */
#include "train/core/exchange_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/param.h"
#include "base/registry.h"
#include "compressors/core/round_plan.h"
#include "exchange/tuning.h"

static egc_collective kind_of(const egc_round *round)
{
    bool dense = round->kind == EGC_COLLECTIVE_ALLGATHER && round->element;
    return dense ? EGC_COLLECTIVE_ALLREDUCE : round->kind;
}

bool egc_exchange_choice_fits(egc_collective kind, const egc_round *round)
{
    return kind == round->kind || kind == kind_of(round);
}

/* ---- assumptions ----------------------------------------------------------------------------- */

static egc_exchange_network network_of(const egc_train_config *config, int group)
{
    egc_cluster_paths paths = egc_cluster_paths_of(config->cluster, config->cluster_params);
    bool charged = config->options.cost != EGC_COST_NONE;
    egc_exchange_network network = {
        .alpha_s = paths.latency_s,
        .beta_s = 1 / paths.bandwidth_Bps,
        .contended_beta_s = 1 / paths.contended_Bps,
        .gamma_s = charged ? 3 / config->device.memory_Bps : 0,
        .group = group,
        .local_alpha_s = paths.local_latency_s,
        .local_beta_s = paths.local_hosts > 1 ? 1 / paths.local_bandwidth_Bps : 0,
    };
    bool all_local = paths.local_hosts > 1 && (size_t)config->options.workers <= paths.local_hosts;
    if (all_local) {
        network.alpha_s = paths.local_latency_s;
        network.beta_s = network.contended_beta_s = 1 / paths.local_bandwidth_Bps;
    }
    return network;
}

static int group_of(const egc_train_config *config)
{
    egc_cluster_paths paths = egc_cluster_paths_of(config->cluster, config->cluster_params);
    int64_t workers = config->options.workers;
    int64_t given = config->options.group   ? config->options.group
                    : paths.local_hosts > 1 ? (int64_t)paths.local_hosts
                                            : 0;
    return (int)(given < workers ? given : workers);
}

/* Bytes of a message of the round. */
static double bytes_of(const egc_train_config *config, const egc_round *round)
{
    enum { USUAL_BUCKET = 25 << 20 };
    double bucket = config->options.bucket_bytes > 0 ? config->options.bucket_bytes : USUAL_BUCKET;
    double density = egc_method_density(&config->method, UINT64_MAX);
    if (isnan(density))
        density = 0.01;
    if (round->kind == EGC_COLLECTIVE_BROADCAST)
        return density * bucket;
    bool dense = round->kind == EGC_COLLECTIVE_ALLREDUCE || round->element;
    return dense ? bucket : 2 * density * bucket;
}

static const egc_exchange_type *cheapest(const egc_exchange_choice *choice,
                                         const egc_train_config *config, const egc_round *round)
{
    egc_exchange_network network = network_of(config, choice->group);
    return egc_tuning_cheapest(kind_of(round), (int)config->options.workers,
                               bytes_of(config, round), &network);
}

/* ---- the choice ------------------------------------------------------------------------------ */

egc_merge_rule egc_exchange_choice_merge(const egc_sparse_type *type)
{
    /* An exchange that cuts messages into parts never sees the k largest elements of all. */
    return !type->keeps ? EGC_MERGE_ALL : type->cuts ? EGC_MERGE_ABOVE : EGC_MERGE_LARGEST;
}

static egc_status init_sparse(egc_exchange_choice *choice, const egc_train_config *config,
                              egc_error *err)
{
    if (config->options.sampled_workers)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "sampled_workers: %s sums the messages of all workers on the way; must be "
                        "0, got %lld",
                        config->sparse->name, (long long)config->options.sampled_workers);
    choice->sparse = config->sparse;
    choice->merge = egc_exchange_choice_merge(config->sparse);
    if (egc_merger_check(&config->method, choice->merge, err))
        return egc_error_prefix(err, "exchange: %s sums sparse messages", choice->sparse->name);
    return EGC_OK;
}

static egc_status refuse(const egc_exchange_choice *choice, const egc_train_config *config,
                         egc_error *err)
{
    static const char *const does[] = {
        [EGC_COLLECTIVE_ALLREDUCE] = "sums",
        [EGC_COLLECTIVE_ALLGATHER] = "gathers",
        [EGC_COLLECTIVE_BROADCAST] = "broadcasts",
        [EGC_COLLECTIVE_ALLTOALL] = "scatters",
    };
    char auto_names[EGC_EXCHANGE_CHOICE_NAME];
    egc_exchange_choice_name(choice, auto_names);
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "exchange: %s %s messages, which suits no round of method %s; use auto (here "
                    "%s)",
                    config->exchange->name, does[config->exchange->kind], config->method.name,
                    auto_names);
}

/* A proxy cannot send a message that depends on the worker's rank. */
static egc_status check_sampling(const egc_exchange_choice *choice, const egc_train_config *config,
                                 egc_error *err)
{
    for (size_t r = 0; r < choice->n_rounds && config->options.sampled_workers; r++) {
        egc_collective kind = choice->round[r].kind;
        if (kind == EGC_COLLECTIVE_BROADCAST || kind == EGC_COLLECTIVE_ALLTOALL)
            return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                            "sampled_workers: method %s gives every worker a part of its own; must "
                            "be 0, got %lld",
                            config->method.name, (long long)config->options.sampled_workers);
    }
    return EGC_OK;
}

egc_status egc_exchange_choice_init(egc_exchange_choice *choice, const egc_train_config *config,
                                    egc_error *err)
{
    bool used = config->exchange == NULL;
    *choice = (egc_exchange_choice){
        .n_rounds = egc_round_plan_count(&config->method),
        .group = group_of(config),
        .host_Bps = egc_cluster_paths_of(config->cluster, config->cluster_params).host_Bps,
    };
    for (size_t r = 0; r < choice->n_rounds; r++)
        choice->round[r] = egc_round_plan_at(&config->method, r);
    if (config->sparse)
        return init_sparse(choice, config, err);
    for (size_t r = 0; r < choice->n_rounds; r++) {
        bool fits =
            config->exchange && egc_exchange_choice_fits(config->exchange->kind, &choice->round[r]);
        used = used || fits;
        choice->exchange[r] = fits ? config->exchange : cheapest(choice, config, &choice->round[r]);
    }
    return used ? check_sampling(choice, config, err) : refuse(choice, config, err);
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *egc_exchange_choice_asked(const egc_train_config *config)
{
    return config->sparse     ? config->sparse->name
           : config->exchange ? config->exchange->name
                              : "auto";
}

/* Appends "+part", or "part" as the first; with "/group" if group is not 0. */
static void append(char name[EGC_EXCHANGE_CHOICE_NAME], const char *part, int group)
{
    size_t used = strlen(name), room = EGC_EXCHANGE_CHOICE_NAME - used;
    used += (size_t)snprintf(name + used, room, "%s%s", used ? "+" : "", part);
    if (group && used < EGC_EXCHANGE_CHOICE_NAME)
        snprintf(name + used, EGC_EXCHANGE_CHOICE_NAME - used, "/%d", group);
}

void egc_exchange_choice_name(const egc_exchange_choice *choice,
                              char name[EGC_EXCHANGE_CHOICE_NAME])
{
    *name = '\0';
    if (choice->sparse)
        append(name, choice->sparse->name, 0);
    for (size_t r = 0; r < choice->n_rounds && !choice->sparse; r++)
        if (r == 0 || choice->exchange[r] != choice->exchange[r - 1])
            append(name, choice->exchange[r]->name, 0);
}

void egc_exchange_choice_sums(const egc_exchange_choice *choice,
                              char name[EGC_EXCHANGE_CHOICE_NAME])
{
    *name = '\0';
    if (choice->sparse)
        append(name, choice->sparse->name, 0);
    for (size_t r = 0; r < choice->n_rounds && !choice->sparse; r++) {
        const egc_exchange_type *type = choice->exchange[r];
        bool sums = type->kind == EGC_COLLECTIVE_ALLREDUCE;
        append(name, sums ? type->name : "any", sums && type->two_levels ? choice->group : 0);
    }
}

/* Lists both registries: the descriptors of either begin with the name. */
static egc_status fail_unknown(const char *name, egc_error *err)
{
    enum { ROOM = 64 };
    const void *all[ROOM] = {NULL};
    size_t n = 0;
    for (const egc_exchange_type *const *type = egc_exchange_types(); *type && n + 1 < ROOM; type++)
        all[n++] = *type;
    for (const egc_sparse_type *const *type = egc_sparse_types(); *type && n + 1 < ROOM; type++)
        all[n++] = *type;
    return egc_registry_fail_unknown(err, "exchange", name, all);
}

egc_status egc_exchange_choice_find(const char *name, const egc_exchange_type **exchange,
                                    const egc_sparse_type **sparse, egc_error *err)
{
    *exchange = NULL;
    *sparse = NULL;
    if (!egc_exchange_find(name, exchange, NULL) || !egc_sparse_find(name, sparse, NULL))
        return EGC_OK;
    return fail_unknown(name, err);
}
