/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/world/speed.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "net/world/world_core.h"

/* Streams of the run's seed. */
enum { SEED_STRAGGLERS = 0x5742, SEED_JITTER };

static egc_status choose_stragglers(egc_speed *worker_speeds, const egc_world_config *config,
                                    egc_error *err)
{
    const egc_cluster_common *common = config->cluster_params;
    size_t n = (size_t)(config->workers - config->servers),
           slow = (size_t)lround(common->stragglers * (double)n);
    uint64_t state = egc_rng_derive_seed(config->seed, SEED_STRAGGLERS, 0);
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    if (slow == 0)
        return EGC_OK;
    size_t *ranks = egc_calloc(n + slow, sizeof *ranks), *chosen = ranks + n;
    if (!ranks)
        return egc_fail_memory(err, (n + slow) * sizeof *ranks);
    for (size_t i = 0; i < n; i++)
        ranks[i] = i;
    gsl_ran_choose(&rng, chosen, slow, ranks, n, sizeof *ranks);
    for (size_t i = 0; i < slow; i++)
        worker_speeds[chosen[i]].lasting *= common->straggler_slowdown;
    egc_free(ranks);
    return EGC_OK;
}

egc_status egc_speed_init(egc_speed *worker_speeds, const egc_world_config *config, egc_error *err)
{
    const egc_cluster_common *common = config->cluster_params;
    const double *speeds = common->host_speeds.items;
    for (int rank = 0; rank < config->workers; rank++) {
        size_t host = egc_world_config_seat(config, rank);
        worker_speeds[rank] = (egc_speed){
            .lasting = common->host_speeds.n ? 1 / speeds[host % common->host_speeds.n] : 1,
            .now = 1,
        };
    }
    return choose_stragglers(worker_speeds, config, err);
}

void egc_speed_begin_step(egc_speed *speed, const egc_world_config *config, int rank, uint64_t step)
{
    const egc_cluster_common *common = config->cluster_params;
    double variance = common->jitter * common->jitter;
    uint64_t seed = egc_rng_derive_seed(config->seed, SEED_JITTER, (uint64_t)rank);
    uint64_t state = egc_rng_derive_seed(seed, step, 0);
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    if (isfinite(1 / variance) && /* else too little to be seen */
        rank < config->workers - config->servers)
        speed->now = gsl_ran_gamma(&rng, 1 / variance, variance);
}
