/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which examples a worker sees at a step.
 *
 * Every epoch is a permutation of the training set, drawn from the seed and the number of the
 * epoch. Step by step each worker takes the next `batch` examples of it. Examples that do not fill
 * a whole step are left out of that epoch, as data loaders do with drop_last; another permutation
 * brings them up.
 *
 * After egc_batches_split each worker has its own examples for good, and every epoch is a
 * permutation of them. */
#ifndef EGC_WORKLOADS_TRAIN_BATCHES_H
#define EGC_WORKLOADS_TRAIN_BATCHES_H

#include <stddef.h>
#include <stdint.h>

#include "workloads/train/split.h"

typedef struct egc_batches {
    size_t examples, workers, batch;
    uint64_t seed;
    uint64_t epoch; /* the one that order holds */
    uint32_t *order;
    uint32_t *own;   /* every worker's examples, one after the other; NULL: all draw from all */
    egc_split split; /* says where each worker's start */
} egc_batches;

/* In place, into a zeroed struct. RANGE when there are too few examples for one step. MEMORY. */
egc_status egc_batches_init(egc_batches *batches, size_t examples, size_t workers, size_t batch,
                            uint64_t seed, egc_error *err) EGC_MUST_CHECK;
void egc_batches_fini(egc_batches *batches);

/* Gives each worker its own examples. split->examples, workers and seed are those of batches. The
 * labels are needed during the call alone. MEMORY. */
egc_status egc_batches_split(egc_batches *batches, const egc_split *split,
                             egc_error *err) EGC_MUST_CHECK;

/* The `batch` indices of worker at step. Valid until the next call. */
const uint32_t *egc_batches_get(egc_batches *batches, uint64_t step, size_t worker);

/* Steps of an epoch. */
uint64_t egc_batches_steps(const egc_batches *batches);

/* The examples of a worker: its own, or where all draw from all its part of each epoch. */
size_t egc_batches_examples(const egc_batches *batches, size_t worker);

#endif
