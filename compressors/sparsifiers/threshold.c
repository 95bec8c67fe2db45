/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fixed threshold: every element with |x_i| > tau, as it is. The count varies from step to step
 * and may be 0 or n; tau = 0 sends every element that is not zero. The comparison is with the
 * magnitude (a signed maximum elsewhere made an all-negative tensor be sent whole). */
#include <math.h>

#include "compressors/plugin.h"
#include "compressors/sparsifiers/largest.h"
#include "kernels/kernels.h"

typedef struct threshold_params {
    double tau;
} threshold_params;

static const egc_param params_table[] = {
    EGC_PARAM(threshold_params, tau, REAL, "tau", "elements of larger magnitude are sent",
              .def = 0.01, .max = INFINITY),
    EGC_PARAM_END,
};

static egc_status select_above(const void *params, void *state, const egc_context *context,
                               const float *x, size_t n, egc_selection *out, egc_error *err)
{
    (void)state, (void)context, (void)err;
    double tau = ((const threshold_params *)params)->tau;
    out->count = egc_kernels_get()->select(x, n, egc_largest_float_above(tau), out->index);
    return EGC_OK;
}

const egc_compressor_type egc_compressor_threshold = {
    .name = "threshold",
    .summary = "the elements above a fixed magnitude",
    .size = "sparse, k = the number of |x_i| > tau",
    .formula = "S = {i : |x_i| > tau}; C(x)_i = x_i on S, 0 elsewhere",
    .reference = "the plain form of Strom 2015 (Interspeech), as in GRACE (Xu et al. 2021)",
    .params = params_table,
    .params_size = sizeof(threshold_params),
    .cost = {.bytes_per_element = 4, .kernels = 2},
    .select = select_above,
};
