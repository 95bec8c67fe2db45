/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the examples of each worker and step.
 *
 * Every epoch is a permutation of the training set, drawn from the seed and the number of the
 * epoch. At each step every worker takes the next `batch` examples of it. Examples that do not fill
 * a whole step are left out of that epoch (drop_last in PyTorch's data loaders); other epochs use
 * them.
 *
 * After egc_batches_split each worker has its own examples, and every epoch is a permutation of
 * them. */
#ifndef EGC_WORKLOADS_TRAIN_BATCHES_H
#define EGC_WORKLOADS_TRAIN_BATCHES_H

#include <stddef.h>
#include <stdint.h>

#include "workloads/train/split.h"

typedef struct egc_batches {
    size_t examples, workers, batch;
    uint64_t seed;
    uint64_t epoch; /* epoch of `order` */
    uint32_t *order;
    uint32_t *own;   /* every worker's examples in turn; NULL: all draw from all */
    egc_split split; /* gives where each worker's start */
} egc_batches;

/* In place, into a zeroed struct. RANGE when there are too few examples for one step. MEMORY. */
egc_status egc_batches_init(egc_batches *batches, size_t examples, size_t workers, size_t batch,
                            uint64_t seed, egc_error *err) EGC_MUST_CHECK;
void egc_batches_fini(egc_batches *batches);

/* Gives each worker its own examples. split->examples, workers and seed are those of batches. The
 * labels are read during the call only. MEMORY. */
egc_status egc_batches_split(egc_batches *batches, const egc_split *split,
                             egc_error *err) EGC_MUST_CHECK;

/* The `batch` indices of worker at step. Valid until the next call. */
const uint32_t *egc_batches_get(egc_batches *batches, uint64_t step, size_t worker);

/* Steps of an epoch. */
uint64_t egc_batches_steps(const egc_batches *batches);

/* Number of examples of a worker: its own, or without a split its part of each epoch. */
size_t egc_batches_examples(const egc_batches *batches, size_t worker);

#endif
