/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How faithful the applied updates are to the uncompressed ones: cosine and drift.
 *
 * The truth a step is held against is the mean gradient of all workers or, for methods whose
 * memory applies momentum, what uncompressed momentum SGD would apply: the mean gradient run
 * through the same momentum. A method that sends everything has cosine 1 and drift 0. */
#ifndef EGC_TRAIN_METRICS_FIDELITY_H
#define EGC_TRAIN_METRICS_FIDELITY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct egc_fidelity {
    size_t n;
    float *truth;     /* of the step: the sum of gradients while they come in */
    float *velocity;  /* NULL when the truth has no momentum */
    float *truth_sum; /* over steps */
    float *error_sum; /* of applied - true, over steps */
    double momentum;
    bool nesterov;
} egc_fidelity;

/* MEMORY. */
egc_status egc_fidelity_init(egc_fidelity *fidelity, size_t n, bool has_momentum, double momentum,
                             bool nesterov, egc_error *err) EGC_MUST_CHECK;
void egc_fidelity_fini(egc_fidelity *fidelity);

/* A step begins; then every worker's gradient comes in, in the order of ranks. Unless `finite`
 * says that there are none, elements that are not finite count as 0. */
void egc_fidelity_begin(egc_fidelity *fidelity);
void egc_fidelity_add(egc_fidelity *fidelity, const float *gradient, bool finite);

/* What was applied at this step after n_workers gradients came in. cosine is NAN when either
 * vector is zero, drift NAN when the truth is. */
void egc_fidelity_end(egc_fidelity *fidelity, size_t n_workers, const float *applied,
                      double *cosine, double *drift);

#endif
