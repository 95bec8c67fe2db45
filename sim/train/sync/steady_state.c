/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/sync/steady_state.h"

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"

/* SimGrid tells apart what is further apart than this. */
#define SAME_TIME_S 1e-9

/* Later rounds have messages that nobody knows yet when a step begins, no two measurements are
 * alike, with priority no step ends before the next begins, and energy is consumed only by what is
 * simulated. */
static bool may_repeat(const egc_learning *learning)
{
    const egc_training_config *config = learning->config;
    return learning->n_learners < learning->n_workers && learning->route.n_rounds == 1 &&
           config->options.cost != EGC_COST_MEASURED && !config->options.energy &&
           config->options.schedule == EGC_SCHEDULE_FIFO &&
           egc_cluster_is_steady(config->cluster, config->cluster_params);
}

egc_status egc_repeat_init(egc_repeat *repeat, egc_learning *learning, egc_error *err)
{
    size_t n = learning->n_workers;
    *repeat = (egc_repeat){0};
    if (!may_repeat(learning))
        return EGC_OK;
    repeat->learning = learning;
    for (int i = 0; i < EGC_REPEAT_KEPT; i++) {
        repeat->past[i] = egc_calloc(n, sizeof *repeat->past[i]);
        if (!repeat->past[i])
            return egc_fail_memory(err, n * sizeof *repeat->past[i]);
    }
    return EGC_OK;
}

void egc_repeat_fini(egc_repeat *repeat)
{
    for (int i = 0; i < EGC_REPEAT_KEPT; i++)
        egc_free(repeat->past[i]);
}

/* ---- likeness -------------------------------------------------------------------------------- */

/* All that workers send, and what making it stands for. */
static uint64_t key_of(egc_learning *learning, uint64_t step)
{
    uint64_t hash = EGC_HASH_START;
    for (size_t w = 0; w < learning->n_workers; w++) {
        for (size_t b = 0; b < learning->plan.n_buckets; b++) {
            uint64_t len = egc_learning_outgoing(learning, step, 0, w, b)->message.len;
            hash = egc_hash(hash, &len, sizeof len);
        }
        hash = egc_hash(hash, egc_learning_part(learning, step, 0, w, 0),
                        learning->plan.n_units * sizeof(egc_learnt_part));
    }
    return hash;
}

static size_t latest(const egc_repeat *repeat, size_t back)
{
    return (repeat->n_simulated - back) % EGC_REPEAT_KEPT;
}

/* Whether the workers began both steps equally far apart. */
static bool began_alike(const egc_repeat *repeat, size_t a, size_t b)
{
    const egc_worker_step *x = repeat->past[a], *y = repeat->past[b];
    for (size_t w = 1; w < repeat->learning->n_workers; w++)
        if (fabs((x[w].start_s - x[0].start_s) - (y[w].start_s - y[0].start_s)) > SAME_TIME_S)
            return false;
    return true;
}

/* That a worker comes to a step means that all have begun the one before, and ended the one before
 * that: nobody gets through a step without the others. */
static bool is_steady(const egc_repeat *repeat, uint64_t key)
{
    if (repeat->n_simulated < 2)
        return false;
    size_t last = latest(repeat, 1), before = latest(repeat, 2);
    return repeat->key[last] == key && repeat->key[before] == key &&
           began_alike(repeat, last, before);
}

/* ---- steps ----------------------------------------------------------------------------------- */

void egc_repeat_begin_step(egc_repeat *repeat, uint64_t step)
{
    if (!repeat->learning)
        return;
    uint64_t key = key_of(repeat->learning, step);
    bool went_on = repeat->repeats[(step + 1) % 2];
    bool repeats = went_on ? repeat->key[repeat->repeated] == key : is_steady(repeat, key);
    repeat->repeats[step % 2] = repeats;
    if (repeats && !went_on)
        repeat->repeated = latest(repeat, 2);
    if (repeats)
        return;
    if (went_on)
        repeat->n_simulated = 0;
    size_t slot = repeat->n_simulated++ % EGC_REPEAT_KEPT;
    repeat->slot[step % 2] = slot;
    repeat->key[slot] = key;
}

const egc_worker_step *egc_repeat_of(const egc_repeat *repeat, uint64_t step, size_t worker)
{
    return repeat->repeats[step % 2] ? &repeat->past[repeat->repeated][worker] : NULL;
}

double egc_repeat_network_bytes(const egc_repeat *repeat, uint64_t step)
{
    return repeat->repeats[step % 2] ? repeat->network_bytes[repeat->repeated] : 0;
}

egc_worker_step *egc_repeat_note(egc_repeat *repeat, uint64_t step, size_t worker)
{
    return repeat->learning ? &repeat->past[repeat->slot[step % 2]][worker] : NULL;
}

void egc_repeat_end_step(egc_repeat *repeat, uint64_t step, double network_bytes)
{
    if (!repeat->repeats[step % 2])
        repeat->network_bytes[repeat->slot[step % 2]] = network_bytes;
}
