/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running moments of the batch normalisations, which evaluation normalises by.
 *
 * They are no parameters: no gradient moves them and no message carries them. After each step they
 * go a tenth of the way to the mean of what the workers found in their batches of that step, as if
 * the workers had averaged them; all replicas would hold the same. The sum runs over the workers in
 * the order of their numbers, so the order in which gradients are asked for does not matter. */
#ifndef EGC_WORKLOADS_TRAIN_RUNNING_H
#define EGC_WORKLOADS_TRAIN_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct egc_running {
    size_t n, workers;
    float *moments; /* the running ones; fill them with where they start */
    float *found;   /* n for each worker */
    bool *has_found;
    uint64_t step; /* of what was found */
} egc_running;

/* In place, into a zeroed struct. n may be 0. On failure too, egc_running_fini is due. MEMORY. */
egc_status egc_running_init(egc_running *running, size_t n, size_t workers,
                            egc_error *err) EGC_MUST_CHECK;
void egc_running_fini(egc_running *running);

/* Where to write what worker found at step. What was found at another step is taken in first. */
float *egc_running_find(egc_running *running, uint64_t step, size_t worker);

/* The moments after all that was found. Valid until the next call. */
const float *egc_running_get(egc_running *running);

#endif
