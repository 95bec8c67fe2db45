/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shuffles by GSL (Fisher-Yates), seeded by epoch, or by epoch and worker after a split. */
#include "workloads/train/batches.h"

#include <gsl/gsl_randist.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

enum { SEED_ORDER = 0x6f726465 }; /* "orde": stream of random numbers */

static void shuffle_range(egc_batches *batches, uint64_t seed, size_t first, size_t end)
{
    uint64_t state = seed;
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    gsl_ran_shuffle(&rng, batches->order + first, end - first, sizeof *batches->order);
}

static void shuffle_own(egc_batches *batches, uint64_t seed)
{
    memcpy(batches->order, batches->own, batches->examples * sizeof *batches->own);
    for (size_t worker = 0; worker < batches->workers; worker++)
        shuffle_range(batches, egc_rng_derive_seed(seed, SEED_ORDER, worker),
                      egc_split_first(&batches->split, worker),
                      egc_split_first(&batches->split, worker + 1));
}

static void shuffle(egc_batches *batches, uint64_t epoch)
{
    const uint64_t seed = egc_rng_derive_seed(batches->seed, SEED_ORDER, epoch);
    batches->epoch = epoch;
    if (batches->own) {
        shuffle_own(batches, seed);
        return;
    }
    for (size_t i = 0; i < batches->examples; i++)
        batches->order[i] = (uint32_t)i;
    shuffle_range(batches, seed, 0, batches->examples);
}

egc_status egc_batches_init(egc_batches *batches, size_t examples, size_t workers, size_t batch,
                            uint64_t seed, egc_error *err)
{
    if (batch > examples / workers)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "a batch of %zu for each of %zu workers needs %zu training examples, got "
                        "%zu",
                        batch, workers, batch * workers, examples);
    *batches =
        (egc_batches){.examples = examples, .workers = workers, .batch = batch, .seed = seed};
    batches->order = egc_calloc(examples, sizeof *batches->order);
    if (!batches->order)
        return egc_fail_memory(err, examples * sizeof *batches->order);
    shuffle(batches, 0);
    return EGC_OK;
}

void egc_batches_fini(egc_batches *batches)
{
    egc_free(batches->order);
    egc_free(batches->own);
    *batches = (egc_batches){0};
}

egc_status egc_batches_split(egc_batches *batches, const egc_split *split, egc_error *err)
{
    batches->own = egc_calloc(batches->examples, sizeof *batches->own);
    if (!batches->own)
        return egc_fail_memory(err, batches->examples * sizeof *batches->own);
    batches->split = *split;
    batches->split.labels = NULL;
    egc_status status = egc_split_dirichlet(split, batches->own, err);
    if (!status)
        shuffle(batches, 0);
    return status;
}

uint64_t egc_batches_steps(const egc_batches *batches)
{
    return batches->examples / (batches->workers * batches->batch);
}

size_t egc_batches_examples(const egc_batches *batches, size_t worker)
{
    if (!batches->own)
        return batches->examples / batches->workers;
    return egc_split_first(&batches->split, worker + 1) - egc_split_first(&batches->split, worker);
}

const uint32_t *egc_batches_get(egc_batches *batches, uint64_t step, size_t worker)
{
    uint64_t steps_per_epoch = egc_batches_steps(batches);
    uint64_t epoch = step / steps_per_epoch;
    if (epoch != batches->epoch)
        shuffle(batches, epoch);
    const size_t place = (size_t)(step % steps_per_epoch);
    if (batches->own)
        return batches->order + egc_split_first(&batches->split, worker) + place * batches->batch;
    return batches->order + (place * batches->workers + worker) * batches->batch;
}
