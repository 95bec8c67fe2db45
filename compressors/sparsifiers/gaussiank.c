/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gaussian-k (Shi et al. 2019, arXiv 1911.08772): elements above the threshold that would leave a
 * share `ratio` of them if they were Gaussian, corrected by counting.
 *     mu, sd <- mean and standard deviation of x;  t <- |mu| + z sd,  z = Phi^-1(1 - ratio/2)
 *     in up to 3 rounds: c <- the number of |x_i| > t
 *         c < 2k/3 -> t <- 0.5 t;  c > 4k/3 -> t <- 1.5 t;  otherwise done
 * with k = max(1, floor(ratio n)). The set of the last round counted is sent; no fourth threshold
 * is tried. Under other tails than the Gaussian's it may miss the band: heavy ones keep too few, or
 * none, and the residual has the rest.
 *
 * The mean's magnitude stands where the paper has the mean, which is the same for mu >= 0: with a
 * negative mean the published rule gives -x another selection than x, and far below zero its
 * threshold is negative and selects everything. With one element the published code's deviation is
 * NaN and nothing is ever sent; here sd = 0, and an element that equals its mean is chosen in the
 * second round. So is, when all magnitudes are equal, everything: there is nothing to distinguish.
 *
 * Known answer, by hand: 3, -1, 1, -3 with ratio 0.5 has mu = 0, sd = sqrt(20/3) = 2.58, z = 0.674
 * and t = 1.74: 3 and -3 are sent. */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "compressors/plugin.h"
#include "compressors/sparsifiers/largest.h"
#include "compressors/sparsifiers/moments.h"
#include "kernels/kernels.h"

typedef struct gaussiank_params {
    double ratio;
} gaussiank_params;

static const egc_param params_table[] = {
    EGC_RATIO_PARAM(gaussiank_params, 0.01, "share of elements to aim at"),
    EGC_PARAM_END,
};

enum { ROUNDS = 3 };

static double gaussian_threshold(const float *x, size_t n, double density)
{
    double mean = egc_moments_mean(x, n);
    double variance = n > 1 ? egc_moments_deviation2(x, n, mean) / (double)(n - 1) : 0;
    return fabs(mean) + gsl_cdf_ugaussian_Qinv(density / 2) * sqrt(variance);
}

static egc_status select_above(const void *params, void *state, const egc_context *context,
                               const float *x, size_t n, egc_selection *out, egc_error *err)
{
    (void)params, (void)state, (void)err;
    double k = (double)egc_largest_count(context->density, n);
    double t = gaussian_threshold(x, n, context->density);
    for (int round = 1;; round++) {
        out->count = egc_kernels_get()->select(x, n, egc_largest_float_above(t), out->index);
        double count = (double)out->count;
        if (round == ROUNDS || (3 * count >= 2 * k && 3 * count <= 4 * k))
            return EGC_OK;
        t *= 3 * count < 2 * k ? 0.5 : 1.5;
    }
}

const egc_compressor_type egc_compressor_gaussiank = {
    .name = "gaussiank",
    .summary = "the elements above a threshold estimated as if they were Gaussian",
    .size = "sparse, k = the number of |x_i| > t",
    .formula = "S = {i : |x_i| > t}, t = |mean| + sd Phi^-1(1 - ratio/2), halved or raised by half "
               "while |S| is outside [2k/3, 4k/3], 3 rounds at most; C(x)_i = x_i on S",
    .reference = "Shi et al. 2019, arXiv 1911.08772",
    .traits = EGC_TRAIT_SCALE_FREE,
    .params = params_table,
    .params_size = sizeof(gaussiank_params),
    .cost = {.bytes_per_element = 20, .kernels = 6},
    .density = egc_largest_ratio,
    .select = select_above,
};
