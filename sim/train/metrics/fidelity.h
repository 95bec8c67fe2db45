/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cosine and drift: the applied updates compared with uncompressed ones.
 *
 * The true update of a step is the mean gradient of all workers or, for methods whose error
 * feedback applies momentum, the update of uncompressed momentum SGD: the mean gradient with the
 * same momentum applied to it. A method that sends everything has cosine 1 and drift 0. */
#ifndef EGC_TRAIN_METRICS_FIDELITY_H
#define EGC_TRAIN_METRICS_FIDELITY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct egc_fidelity {
    size_t n;
    float *truth;     /* true update of the step; until its end, the sum of the gradients so far.
                         Its allocation includes the other vectors. */
    float *velocity;  /* NULL: the true update has no momentum */
    float *truth_sum; /* over steps */
    float *error_sum; /* applied - true, over steps */
    double momentum;
    bool nesterov;
} egc_fidelity;

/* For vectors of n floats. MEMORY. */
egc_status egc_fidelity_init(egc_fidelity *fidelity, size_t n, bool has_momentum, double momentum,
                             bool nesterov, egc_error *err) EGC_MUST_CHECK;
void egc_fidelity_fini(egc_fidelity *fidelity);

/* Begins a step, and adds the gradient of each worker, in the order of ranks. Elements that are not
 * finite count as 0; `finite` states that there are none, which saves the search. */
void egc_fidelity_begin(egc_fidelity *fidelity);
void egc_fidelity_add(egc_fidelity *fidelity, const float *gradient, bool finite);

/* Ends a step with n_workers gradients, given the update that was applied. *cosine is NAN if the
 * applied or the true update is zero, *drift is NAN if the sum of true updates is. */
void egc_fidelity_end(egc_fidelity *fidelity, size_t n_workers, const float *applied,
                      double *cosine, double *drift);

#endif
