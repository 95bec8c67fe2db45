/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strom 2015 (Interspeech): a fixed threshold that is also the value. Every element with |x_i| >
 * tau is sent as tau with its sign, and the residual keeps the difference, so that each step takes
 * at most one tau off each element: where gradients outgrow tau the residual grows without bound.
 *
 * The paper packs a 31-bit index and a sign into one word. Here the index codec writes the
 * positions and sign_mean1 the signs, whose one mean magnitude is tau.
 *
 * Known answer, by hand: tau = 0.5 and x = 0.7, -2, 0.5, -0.4 sends 0.5 and -0.5 for the first two
 * and leaves 0.2, -1.5, 0.5, -0.4. */
#include <math.h>

#include "compressors/plugin.h"
#include "compressors/sparsifiers/largest.h"
#include "kernels/kernels.h"

typedef struct strom_params {
    double tau;
} strom_params;

static const egc_param params_table[] = {
    EGC_PARAM(strom_params, tau, REAL, "tau", "threshold, and the magnitude of what is sent",
              .def = 0.01, .min = 1e-30, .max = 1e30),
    EGC_PARAM_END,
};

static egc_status select_above(const void *params, void *state, const egc_context *context,
                               const float *x, size_t n, egc_selection *out, egc_error *err)
{
    (void)state, (void)context, (void)err;
    float tau = (float)((const strom_params *)params)->tau; /* compared and sent: one number */
    out->count = egc_kernels_get()->select(x, n, egc_largest_float_above((double)tau), out->index);
    for (size_t i = 0; i < out->count; i++)
        out->value[i] = copysignf(tau, x[out->index[i]]);
    return EGC_OK;
}

const egc_compressor_type egc_compressor_strom = {
    .name = "strom",
    .summary = "plus or minus a fixed threshold for each element beyond it",
    .size = "sparse, k = the number of |x_i| > tau",
    .formula = "S = {i : |x_i| > tau}; C(x)_i = tau sign(x_i) on S, 0 elsewhere",
    .reference = "Strom 2015, Interspeech",
    .traits = EGC_TRAIT_OWN_VALUES,
    .params = params_table,
    .params_size = sizeof(strom_params),
    .settings = "value=sign_mean1",
    .cost = {.bytes_per_element = 4, .kernels = 2},
    .select = select_above,
};
