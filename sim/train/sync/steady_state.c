/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps are compared by a hash of their messages and by the offsets of the workers' starts. */
#include "train/sync/steady_state.h"

#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"

/* SimGrid treats closer times as equal. */
#define SAME_TIME_S 1e-9

/* False with several rounds (the later messages are unknown when a step begins), with measured
 * costs (no two are equal), with priority (no step ends before the next begins) and with energy
 * (only simulated steps consume it). */
static bool may_repeat(const egc_engine *engine)
{
    const egc_train_config *config = engine->config;
    return engine->n_sampled < engine->n_workers && engine->choice.n_rounds == 1 &&
           config->options.cost != EGC_COST_MEASURED && !config->options.energy &&
           config->options.exchange_order == EGC_EXCHANGE_ORDER_FIFO &&
           egc_cluster_is_steady(config->cluster, config->cluster_params);
}

egc_status egc_steady_state_init(egc_steady_state *steady, egc_engine *engine, egc_error *err)
{
    size_t n = engine->n_workers;
    *steady = (egc_steady_state){0};
    if (!may_repeat(engine))
        return EGC_OK;
    steady->engine = engine;
    steady->past[0] = egc_calloc(EGC_STEADY_STATE_KEPT * n, sizeof *steady->past[0]);
    for (size_t i = 0; i < EGC_STEADY_STATE_KEPT && steady->past[0]; i++)
        steady->past[i] = steady->past[0] + i * n;
    return steady->past[0]
               ? EGC_OK
               : egc_fail_memory(err, EGC_STEADY_STATE_KEPT * n * sizeof *steady->past[0]);
}

void egc_steady_state_fini(egc_steady_state *steady)
{
    egc_free(steady->past[0]);
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* Hash of the lengths of all messages, and of the work that making them stands for. */
static uint64_t key_of(egc_engine *engine, uint64_t step)
{
    uint64_t hash = EGC_HASH_START;
    for (size_t w = 0; w < engine->n_workers; w++) {
        for (size_t b = 0; b < engine->partition.n_buckets; b++) {
            uint64_t len = egc_engine_message(engine, step, 0, w, b)->message.len;
            hash = egc_hash(hash, &len, sizeof len);
        }
        hash = egc_hash(hash, egc_engine_part(engine, step, 0, w, 0),
                        engine->partition.n_units * sizeof(egc_part_stats));
    }
    return hash;
}

static size_t latest(const egc_steady_state *steady, size_t back)
{
    return (steady->n_simulated - back) % EGC_STEADY_STATE_KEPT;
}

/* True if the workers began both steps with the same offsets. */
static bool began_alike(const egc_steady_state *steady, size_t a, size_t b)
{
    const egc_worker_step *x = steady->past[a], *y = steady->past[b];
    for (size_t w = 1; w < steady->engine->n_workers; w++)
        if (fabs((x[w].start_s - x[0].start_s) - (y[w].start_s - y[0].start_s)) > SAME_TIME_S)
            return false;
    return true;
}

/* When a worker begins a step, all have begun the one before and ended the one before that, since
 * no worker ends a step without the others. */
static bool is_steady(const egc_steady_state *steady, uint64_t key)
{
    if (steady->n_simulated < 2)
        return false;
    size_t last = latest(steady, 1), before = latest(steady, 2);
    return steady->key[last] == key && steady->key[before] == key &&
           began_alike(steady, last, before);
}

/* ---- steps ----------------------------------------------------------------------------------- */

void egc_steady_state_begin_step(egc_steady_state *steady, uint64_t step)
{
    if (!steady->engine)
        return;
    uint64_t key = key_of(steady->engine, step);
    bool repeated = steady->repeats[(step + 1) % 2];
    bool repeats = repeated ? steady->key[steady->repeated] == key : is_steady(steady, key);
    steady->repeats[step % 2] = repeats;
    if (repeats && !repeated)
        steady->repeated = latest(steady, 2);
    if (repeats)
        return;
    if (repeated)
        steady->n_simulated = 0;
    size_t slot = steady->n_simulated++ % EGC_STEADY_STATE_KEPT;
    steady->slot[step % 2] = slot;
    steady->key[slot] = key;
}

const egc_worker_step *egc_steady_state_times(const egc_steady_state *steady, uint64_t step,
                                              size_t worker)
{
    return steady->repeats[step % 2] ? &steady->past[steady->repeated][worker] : NULL;
}

double egc_steady_state_network_bytes(const egc_steady_state *steady, uint64_t step)
{
    return steady->repeats[step % 2] ? steady->network_bytes[steady->repeated] : 0;
}

egc_worker_step *egc_steady_state_slot(egc_steady_state *steady, uint64_t step, size_t worker)
{
    return steady->engine ? &steady->past[steady->slot[step % 2]][worker] : NULL;
}

void egc_steady_state_end_step(egc_steady_state *steady, uint64_t step, double network_bytes)
{
    if (!steady->repeats[step % 2])
        steady->network_bytes[steady->slot[step % 2]] = network_bytes;
}
