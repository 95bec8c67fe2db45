/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ScaleCom's error feedback behind a low-pass filter (Chen et al. 2020), which keeps the residuals
 * of different workers, and thus their selections, alike. With low_pass = 1 it is plain error
 * feedback; below 1 a share 1 - low_pass of every change of the residual is lost, so elements sent
 * and residual do not add up to the gradients. */
#include "error_feedback/error_feedback.h"

static egc_norms compensate(const egc_error_feedback_unit *unit, float scale, const float *gradient)
{
    for (size_t i = 0; i < unit->n; i++)
        unit->input[i] = unit->residual[i];
    return egc_kernels_get()->residual(scale, gradient, unit->input, unit->n);
}

/* The part of e <- (1 - b) e + b (p - decoded) that does not depend on `decoded`. */
static void relax(const egc_error_feedback_unit *unit)
{
    float b = unit->low_pass;
    for (size_t i = 0; i < unit->n; i++)
        unit->residual[i] = (1 - b) * unit->residual[i] + b * unit->input[i];
}

static void update(const egc_error_feedback_unit *unit, const uint32_t *index, const float *decoded,
                   size_t count)
{
    relax(unit);
    for (size_t i = 0; i < count; i++)
        unit->residual[index[i]] -= unit->low_pass * decoded[i];
}

static void update_dense(const egc_error_feedback_unit *unit, const float *decoded)
{
    relax(unit);
    egc_kernels_get()->axpy(-unit->low_pass, decoded, unit->residual, unit->n);
}

const egc_error_feedback_type egc_error_feedback_lowpass = {
    .name = "lowpass",
    .summary = "error feedback behind a low-pass filter (ScaleCom)",
    .formula = "p = g + e; e <- (1 - b) e + b (p - decoded(p)), b = low_pass",
    .reference = "Chen et al. 2020, arXiv 2104.11125",
    .has_residual = true,
    .compensate = compensate,
    .update = update,
    .update_dense = update_dense,
};
