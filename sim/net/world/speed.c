/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws with GSL on streams of the run's seed, one for each rank and step, so that no draw depends
 * on the order of events. */
#include "net/world/speed.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#include "base/mem.h"
#include "base/rng.h"

/* Streams of the run's seed. */
enum { SEED_STRAGGLERS = 0x5742, SEED_JITTER };

static egc_status choose_stragglers(egc_speed *speeds, const egc_world_config *config,
                                    egc_error *err)
{
    const egc_cluster_common *common = config->cluster_params;
    size_t n = (size_t)(config->workers - config->servers);
    size_t slow = (size_t)lround(common->stragglers * (double)n);
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
        speeds[chosen[i]].run *= common->straggler_slowdown;
    egc_free(ranks);
    return EGC_OK;
}

egc_status egc_speed_init(egc_speed *speeds, const egc_world_config *config, egc_error *err)
{
    const egc_param_list *relative =
        &((const egc_cluster_common *)config->cluster_params)->host_speeds;
    for (int rank = 0; rank < config->workers; rank++) {
        size_t host = egc_world_config_seat(config, rank);
        double speed = relative->n ? ((const double *)relative->items)[host % relative->n] : 1;
        speeds[rank] = (egc_speed){.run = 1 / speed, .step = 1};
    }
    return choose_stragglers(speeds, config, err);
}

void egc_speed_begin_step(egc_speed *speed, const egc_world_config *config, int rank, uint64_t step)
{
    double jitter = ((const egc_cluster_common *)config->cluster_params)->jitter;
    double variance = jitter * jitter;
    uint64_t seed = egc_rng_derive_seed(config->seed, SEED_JITTER, (uint64_t)rank);
    uint64_t state = egc_rng_derive_seed(seed, step, 0);
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    bool visible = isfinite(1 / variance); /* a smaller jitter changes no bit */
    if (visible && rank < config->workers - config->servers)
        speed->step = gsl_ran_gamma(&rng, 1 / variance, variance);
}
