/* SPDX-License-Identifier: GPL-3.0-or-later */
/* EF21 (Richtarik, Sokolov and Fatkhullin 2021): each worker keeps an estimate h of its gradient,
 * sends the compressed difference to it, and adds the decoded difference to h. Receivers keep the
 * average of the estimates, add the average of the decoded differences to it, and apply it. Nothing
 * is delayed: an element that is not sent stays in the next difference. */
#include "error_feedback/error_feedback.h"

static egc_norms compensate(const egc_error_feedback_unit *unit, float scale, const float *gradient)
{
    for (size_t i = 0; i < unit->n; i++)
        unit->input[i] = -unit->residual[i];
    return egc_kernels_get()->residual(scale, gradient, unit->input, unit->n);
}

static void update(const egc_error_feedback_unit *unit, const uint32_t *index, const float *decoded,
                   size_t count)
{
    for (size_t i = 0; i < count; i++)
        unit->residual[index[i]] += decoded[i];
}

static void update_dense(const egc_error_feedback_unit *unit, const float *decoded)
{
    egc_kernels_get()->axpy(1, decoded, unit->residual, unit->n);
}

const egc_error_feedback_type egc_error_feedback_ef21 = {
    .name = "ef21",
    .summary = "sends the compressed change of an estimate of the gradient",
    .formula = "p = g - h; h <- h + decoded(p); receivers: H <- H + mean decoded(p), applied: H",
    .reference = "Richtarik, Sokolov and Fatkhullin 2021, arXiv 2106.05203",
    .has_residual = true,
    .accumulates = true,
    .compensate = compensate,
    .update = update,
    .update_dense = update_dense,
};
