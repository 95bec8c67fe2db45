/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of algorithms (list.def), and the placement of their ranks on hosts. */
#include "train/algorithm.h"

#include "base/mem.h"
#include "base/registry.h"

#define EGC_ALGORITHM(name) extern const egc_algorithm_type egc_algorithm_##name;
#include "train/list.def"
#undef EGC_ALGORITHM

static const egc_algorithm_type *const types[] = {
#define EGC_ALGORITHM(name) &egc_algorithm_##name,
#include "train/list.def"
#undef EGC_ALGORITHM
    NULL,
};

const egc_algorithm_type *const *egc_algorithm_types(void)
{
    return types;
}

egc_status egc_algorithm_find(const char *name, const egc_algorithm_type **out, egc_error *err)
{
    return egc_registry_find("algorithm", name, (const void *const *)types, out, err);
}

const egc_algorithm_type *egc_algorithm_of(const egc_train_config *config)
{
    return config->algorithm ? config->algorithm : types[0];
}

static size_t servers(const egc_train_config *config)
{
    const egc_algorithm_type *type = egc_algorithm_of(config);
    return type->servers ? type->servers(config) : 0;
}

static bool colocated(const egc_train_config *config)
{
    const egc_algorithm_type *type = egc_algorithm_of(config);
    return type->colocated && type->colocated(config);
}

size_t egc_algorithm_ranks(const egc_train_config *config)
{
    return (size_t)config->options.workers + servers(config);
}

size_t egc_algorithm_hosts(const egc_train_config *config)
{
    return colocated(config) ? (size_t)config->options.workers : egc_algorithm_ranks(config);
}

void egc_algorithm_seat(const egc_train_config *config, int *seats)
{
    int workers = (int)config->options.workers, n = (int)servers(config);
    int first = colocated(config) ? 0 : n;
    for (int w = 0; w < workers; w++)
        seats[w] = first + w;
    for (int s = 0; s < n; s++)
        seats[workers + s] = s;
}

egc_status egc_algorithm_world(const egc_train_config *config, bool size_only, egc_world **out,
                               egc_error *err)
{
    size_t ranks = egc_algorithm_ranks(config);
    int *seats = egc_calloc(ranks, sizeof *seats);
    if (!seats)
        return egc_fail_memory(err, ranks * sizeof *seats);
    egc_algorithm_seat(config, seats);
    const egc_world_config world = {
        .cluster = config->cluster,
        .cluster_params = config->cluster_params,
        .device = config->device,
        .network_model = (egc_network_model)config->options.network_model,
        .seed = (uint64_t)config->options.seed,
        .workers = (int)ranks,
        .servers = (int)ranks - (int)config->options.workers,
        .seats = seats,
        .size_only = size_only,
        .one_message_each = egc_algorithm_of(config)->one_message_each,
        .channels = 1,
        .max_sim_time_s = config->options.max_sim_time_s,
        .charge_reduction = config->options.cost != EGC_COST_NONE,
        .energy = config->options.energy,
        .thread_contexts = config->thread_contexts,
    };
    egc_status status = egc_world_new(&world, out, err);
    egc_free(seats);
    return status;
}
