/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/algorithm.h"

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
