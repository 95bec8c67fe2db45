/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running moments of the batch normalisations, used by evaluation.
 *
 * They are not parameters: no gradient changes them and no message carries them. After each step
 * they move by a tenth towards the mean of the moments of the workers' batches in that step, as if
 * the workers had averaged them; all replicas have the same. The sum is in the order of the
 * workers, so the order of the calls does not matter. */
#ifndef EGC_WORKLOADS_TRAIN_RUNNING_H
#define EGC_WORKLOADS_TRAIN_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct egc_running {
    size_t n, workers;
    float *moments; /* running moments; initialised by the caller */
    float *found;   /* moments of each worker's batch at `step`, n each */
    bool *has_found;
    uint64_t step; /* step of `found` */
} egc_running;

/* In place, into a zeroed struct. n may be 0. On failure too, egc_running_fini is due. MEMORY. */
egc_status egc_running_init(egc_running *running, size_t n, size_t workers,
                            egc_error *err) EGC_MUST_CHECK;
void egc_running_fini(egc_running *running);

/* Returns the n floats into which the moments of worker at step are to be written. Moments of an
 * earlier step are averaged in first. */
float *egc_running_find(egc_running *running, uint64_t step, size_t worker);

/* The running moments, up to date. Valid until the next call. */
const float *egc_running_get(egc_running *running);

#endif
