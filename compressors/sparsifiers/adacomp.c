/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AdaComp (Chen et al. 2018, arXiv 1712.02679). The unit is cut into bins of `bin` elements, 500
 * in the paper's fully connected and recurrent layers, 50 in its convolutions. With the residual
 * and this step's gradient g in x = e + g, an element is sent when the gradient, if it came once
 * more, would bring it up to the largest of its bin:
 *     m_b = max |x_i| over bin b;  S = {i in b : |x_i + g_i| >= m_b, m_b > 0}
 *     C(x)_i = s sign(x_i) on S,  s = the mean of m_b over all bins
 * so that the number sent varies by bin, often one to five. Where no gradient is known apart, the
 * largest of each bin are sent.
 *
 * A bin of zeros, where the comparison 0 >= 0 would choose everything, sends nothing, and so does
 * an element that is exactly 0, which has no sign. The paper packs a position within its bin and a
 * two-bit code into 8 or 16 bits; here the index codec writes the positions and sign_mean1 the
 * signs, whose one mean magnitude is s.
 *
 * Known answer, by hand: bin = 3, x = 4, -3, 1, 0, 2, -2 and g = 1, -1.5, 1, 0, 0, 0.5. m = 4, 2
 * and s = 3; |x + g| = 5, 4.5, 2, 0, 2, 1.5: sent are 3, -3 at 0 and 1, and 3 at 4. */
#include <math.h>

#include "compressors/plugin.h"
#include "kernels/kernels.h"

typedef struct adacomp_params {
    int64_t bin;
} adacomp_params;

static const egc_param params_table[] = {
    EGC_PARAM(adacomp_params, bin, INT, "bin",
              "elements of a bin; the paper has 500, and 50 for convolutions", .def = 500, .min = 1,
              .max = 1e9),
    EGC_PARAM_END,
};

/* Appends the elements chosen in the bin [start, end) and returns its largest magnitude. */
static float select_in_bin(const egc_context *context, const float *x, size_t start, size_t end,
                           egc_selection *out)
{
    float max = egc_kernels_get()->max_abs(x + start, end - start);
    double scale = context->gradient ? (double)context->scale : 0;
    for (size_t i = start; i < end; i++) {
        double gradient = context->gradient ? (double)context->gradient[i] : 0;
        double ahead = fabs((double)x[i] + scale * gradient);
        out->index[out->count] = (uint32_t)i;
        out->count += x[i] != 0 && ahead >= (double)max;
    }
    return max;
}

static egc_status select_by_bin(const void *params, void *state, const egc_context *context,
                                const float *x, size_t n, egc_selection *out, egc_error *err)
{
    (void)state, (void)err;
    size_t bin = (size_t)((const adacomp_params *)params)->bin, bins = (n + bin - 1) / bin;
    double sum = 0;
    out->count = 0;
    for (size_t start = 0; start < n; start += bin)
        sum += (double)select_in_bin(context, x, start, n - start < bin ? n : start + bin, out);
    float size = (float)(sum / (double)bins);
    for (size_t i = 0; i < out->count; i++)
        out->value[i] = copysignf(size, x[out->index[i]]);
    return EGC_OK;
}

const egc_compressor_type egc_compressor_adacomp = {
    .name = "adacomp",
    .summary = "what another step of its gradient would make the largest of its bin",
    .size = "sparse, k = the number chosen",
    .formula = "S = {i : |x_i + g_i| >= m_b > 0}, m_b = max |x| over i's bin b; C(x)_i = s "
               "sign(x_i) on S, s = mean of m_b; 0 elsewhere",
    .reference = "Chen et al. 2018, arXiv 1712.02679",
    .traits = EGC_TRAIT_OWN_VALUES,
    .params = params_table,
    .params_size = sizeof(adacomp_params),
    .settings = "value=sign_mean1",
    .cost = {.bytes_per_element = 16, .kernels = 4},
    .select = select_by_bin,
};
