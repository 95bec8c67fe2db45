/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/train/batches.h"

#include <gsl/gsl_randist.h>

#include "base/mem.h"
#include "base/rng.h"

enum { SEED_ORDER = 0x6f726465 }; /* "orde": the stream of random numbers used here */

static void shuffle(egc_batches *batches, uint64_t epoch)
{
    for (size_t i = 0; i < batches->examples; i++)
        batches->order[i] = (uint32_t)i;
    uint64_t state = egc_seed_derive(batches->seed, SEED_ORDER, epoch);
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    gsl_ran_shuffle(&rng, batches->order, batches->examples, sizeof *batches->order);
    batches->epoch = epoch;
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
    *batches = (egc_batches){0};
}

const uint32_t *egc_batches_get(egc_batches *batches, uint64_t step, size_t worker)
{
    uint64_t steps_per_epoch = batches->examples / (batches->workers * batches->batch);
    uint64_t epoch = step / steps_per_epoch;
    if (epoch != batches->epoch)
        shuffle(batches, epoch);
    size_t place = (size_t)(step % steps_per_epoch) * batches->workers + worker;
    return batches->order + place * batches->batch;
}
