/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Momentum correction (Lin et al. 2018, DGC): momentum is applied before the delay of the residual
 * and not after it, so the optimiser must apply plain SGD. With momentum factor masking the
 * velocity of the elements sent restarts from 0, so that stale momentum does not carry a delayed
 * gradient further. */
#include "error_feedback/error_feedback.h"

static egc_norms compensate(const egc_error_feedback_unit *unit, float scale, const float *gradient)
{
    const egc_kernels *kernels = egc_kernels_get();
    return (unit->nesterov ? kernels->nesterov : kernels->momentum)(
        unit->momentum, scale, gradient, unit->velocity, unit->residual, unit->n);
}

const egc_error_feedback_type egc_error_feedback_momentum = {
    .name = "momentum",
    .summary = "momentum-corrected residual (DGC)",
    .formula = "u <- m u + g; v <- v + u (nesterov: u <- m (u + g); v <- v + u + g); "
               "after sending S: v_S <- v_S - decoded, masking: u_S <- 0",
    .reference = "Lin et al. 2018, arXiv 1712.01887",
    .has_velocity = true,
    .has_residual = true,
    .in_place = true,
    .compensate = compensate,
    .update = egc_error_feedback_subtract,
    .update_dense = egc_error_feedback_subtract_dense,
};
