/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Error feedback (Seide et al. 2014; Stich et al. 2018; Karimireddy et al. 2019): the error of each
 * step is added to the next gradient. Momentum, if any, is the optimiser's. */
#include "error_feedback/error_feedback.h"

static egc_norms compensate(const egc_error_feedback_unit *unit, float scale, const float *gradient)
{
    return egc_kernels_get()->residual(scale, gradient, unit->residual, unit->n);
}

const egc_error_feedback_type egc_error_feedback_residual = {
    .name = "residual",
    .summary = "error feedback: what was not sent is added to the next gradient",
    .formula = "p = g + e; e <- p - decoded(p)",
    .reference = "Seide et al. 2014; Karimireddy et al. 2019, arXiv 1901.09847",
    .has_residual = true,
    .in_place = true,
    .compensate = compensate,
    .update = egc_error_feedback_subtract,
    .update_dense = egc_error_feedback_subtract_dense,
};
