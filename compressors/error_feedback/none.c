/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No error feedback: elements that are not sent are lost. */
#include "error_feedback/error_feedback.h"

static egc_norms compensate(const egc_error_feedback_unit *unit, float scale, const float *gradient)
{
    for (size_t i = 0; i < unit->n; i++)
        unit->input[i] = 0;
    return egc_kernels_get()->residual(scale, gradient, unit->input, unit->n);
}

const egc_error_feedback_type egc_error_feedback_none = {
    .name = "none",
    .summary = "what is not sent is lost",
    .formula = "p = g",
    .reference = "-",
    .compensate = compensate,
};
