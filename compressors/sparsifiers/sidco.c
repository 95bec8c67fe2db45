/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SIDCo (Abdelmoniem et al. 2021, arXiv 2101.10761): the threshold that leaves a share `ratio` of
 * the magnitudes a_i = |x_i| under a distribution fitted to them, in M stages: the first leaves d =
 * 1/4, each later one, fitted to the magnitudes above the threshold so far, d = (4 ratio)^(1/(M-1))
 * of those; with M = 1, or ratio >= 1/4, the first leaves `ratio` at once. With m the mean and s2
 * the variance of the fitted magnitudes, counted from its smallest magnitude a after the first
 * stage and from a = 0 in it: exponential  t = a - m ln d gp           generalised Pareto by
 * moments: t = a + A (1 - d^c) / c, A = m (m^2/s2 + 1) / 2, c = (m^2/s2 - 1) / 2;  -A ln d for (1 -
 * d^c) / c as c -> 0 gamma        first stage: s = ln m - mean(ln a_i), shape = (3 - s + sqrt((s -
 * 3)^2 + 24 s)) / (12 s), t = the upper d-quantile of that gamma distribution of mean m; then gp
 *
 * M starts at 1. Every 5 steps the mean of achieved / wanted counts lowers it by one above 1.2 and
 * raises it by one below 0.8, within 1 <= M <= ceil(ln ratio / ln 0.5); `stages` fixes it. A
 * single stage that keeps too many has nothing lower to go to and stays. The authors' code keeps
 * one M and one count for all layers together; here each unit has its own.
 *
 * The published formulas have no answer in some cases. Here:
 *   - no threshold exceeds the largest magnitude, and elements are sent when a_i >= t, so that no
 *     stage ever sees an empty set and the largest is always sent;
 *   - s2 = 0 (gp) or s <= 0 (gamma) means equal magnitudes: nothing to distinguish, all stay;
 *   - zeros have no logarithm: the gamma distribution is fitted to the others, of which the share
 *     d n / n_nonzero is to stay, all when that is 1 or more;
 *   - where everything is zero nothing is sent, and M learns nothing from it.
 * No norm is divided by: thresholds scale with x as they are. GSL's inverse of the gamma
 * distribution ends the program for some shapes, near 30,000 for one; the quantile is found by
 * bisection of its direct form, and above a shape of 10,000 by the cube of Wilson and Hilferty.
 *
 * Known answer, by hand: of 1, 2, 3, ..., 8 with ratio 1/8, M = 1 and the exponential, m = 4.5 and
 * t = 4.5 ln 8 = 9.36, so 8, the largest. M = 2: t = 4.5 ln 4 = 6.24, then 7 and 8 have a = 7, m =
 * 0.5 and d = 1/2: t = 7.35, and 8 is sent. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#include "compressors/plugin.h"
#include "compressors/sparsifiers/largest.h"
#include "compressors/sparsifiers/moments.h"
#include "kernels/kernels.h"

typedef enum distribution { EXPONENTIAL, PARETO, GAMMA } distribution;

typedef struct sidco_params {
    double ratio;
    int distribution;
    int64_t stages; /* -1: adapted */
} sidco_params;

static const char *const distribution_words[] = {"exponential", "gp", "gamma", NULL};
static const char *const stages_words[] = {"auto", NULL};

static const egc_param params_table[] = {
    EGC_RATIO_PARAM(sidco_params, 0.01, "share of elements to aim at"),
    EGC_PARAM(sidco_params, distribution, CHOICE, "distribution",
              "what is fitted; gamma: the first stage, gp later", .def = EXPONENTIAL,
              .choices = distribution_words),
    EGC_PARAM(sidco_params, stages, INT, "stages",
              "fits, each to what the last threshold left; auto: adapted by counting", .def = -1,
              .min = 1, .max = 64, .choices = stages_words),
    EGC_PARAM_END,
};

static const double FIRST_SHARE = 0.25, UPPER = 1.2, LOWER = 0.8;
enum { CONTROL_STEPS = 5 };

typedef struct sidco_state {
    int64_t stages; /* 0 at first, which means 1 */
    int64_t steps;  /* since the last adaptation */
    double sum;     /* achieved / wanted counts, summed over these */
} sidco_state;

/* ---- fits: how far above its start the share d of a distribution lies ------------------------ */

static double pareto_quantile(double mean, double variance, double d)
{
    if (!(variance > 0))
        return 0;
    double ratio = mean * mean / variance;
    double scale = 0.5 * mean * (ratio + 1), shape = 0.5 * (ratio - 1);
    return fabs(shape) < 1e-9 ? -scale * log(d) : -scale * expm1(shape * log(d)) / shape;
}

/* The x that a gamma variate of this shape and scale 1 exceeds with probability d. */
static double gamma_quantile(double shape, double d)
{
    if (shape > 1e4) {
        double z = gsl_cdf_ugaussian_Qinv(d);
        return shape * pow(1 - 1 / (9 * shape) + z / (3 * sqrt(shape)), 3);
    }
    double low = 0, high = fmax(1, shape);
    while (gsl_sf_gamma_inc_Q(shape, high) >= d)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
        double middle = low + (high - low) / 2;
        if (gsl_sf_gamma_inc_Q(shape, middle) >= d)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The sum of ln |x_i| over the elements that are not 0, and how many these are. The product of up
 * to BLOCK significands, each in [1, 2), has one logarithm; exponents are added as integers. */
static double sum_of_logs(const float *x, size_t n, size_t *nonzero)
{
    enum { LANES = 4, BLOCK = 2048 };
    int64_t exponents = 0;
    double logs = 0;
    *nonzero = 0;
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t end = n - start < BLOCK ? n : start + BLOCK;
        double product[LANES] = {1, 1, 1, 1};
        for (size_t i = start; i < end; i++) {
            double value = (double)x[i]; /* never subnormal, as a float may be */
            uint64_t bits, one = (uint64_t)1023 << 52;
            memcpy(&bits, &value, sizeof bits);
            uint64_t exponent = bits >> 52 & 2047, significand = (bits << 12 >> 12) | one;
            memcpy(&value, &significand, sizeof value);
            product[i % LANES] *= value;
            exponents += exponent ? (int64_t)exponent - 1023 : 0;
            *nonzero += exponent != 0;
        }
        for (int lane = 0; lane < LANES; lane++)
            logs += log(product[lane]);
    }
    return logs + (double)exponents * M_LN2;
}

static double gamma_threshold(const float *x, size_t n, double d)
{
    size_t nonzero;
    double logs = sum_of_logs(x, n, &nonzero);
    double mean = egc_moments_mean_abs(x, n) * (double)n / (double)nonzero;
    double s = log(mean) - logs / (double)nonzero;
    d *= (double)n / (double)nonzero;
    if (!(s > 1e-12) || d >= 1) /* rounding leaves equal magnitudes a tiny s */
        return 0;
    double shape = (3 - s + sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);
    return mean / shape * gamma_quantile(shape, d);
}

static double first_threshold(int fit, const float *x, size_t n, double d)
{
    if (fit == GAMMA)
        return gamma_threshold(x, n, d);
    double mean = egc_moments_mean_abs(x, n);
    return fit == EXPONENTIAL
               ? -mean * log(d)
               : pareto_quantile(mean, egc_moments_deviation2_abs(x, n, mean) / (double)n, d);
}

/* The next threshold, from the n magnitudes above the last. */
static double tail_threshold(int fit, const float *tail, size_t n, double d)
{
    double least = INFINITY, mean = egc_moments_mean_abs(tail, n);
    for (size_t i = 0; i < n; i++)
        least = fmin(least, fabs((double)tail[i]));
    return least +
           (fit == EXPONENTIAL
                ? -(mean - least) * log(d)
                : pareto_quantile(mean - least,
                                  egc_moments_deviation2_abs(tail, n, mean) / (double)n, d));
}

/* ---- stages ---------------------------------------------------------------------------------- */

static int64_t most_stages(double density)
{
    double most = ceil(log(density) / log(0.5) - 1e-9);
    return most > 1 ? (int64_t)most : 1;
}

static void adapt_stages(sidco_state *state, size_t count, double wanted, double density)
{
    state->sum += (double)count / wanted;
    if (++state->steps < CONTROL_STEPS)
        return;
    double achieved = state->sum / CONTROL_STEPS;
    state->stages -= achieved > UPPER;
    state->stages += achieved < LOWER;
    int64_t most = most_stages(density);
    state->stages = state->stages > most ? most : state->stages < 1 ? 1 : state->stages;
    state->steps = 0;
    state->sum = 0;
}

static egc_status select_in_stages(int fit, int64_t stages, const egc_context *context,
                                   const float *x, size_t n, egc_selection *out, egc_error *err)
{
    double rho = context->density, max = (double)context->max_abs;
    bool single = stages == 1 || rho >= FIRST_SHARE;
    double t = fmin(max, first_threshold(fit, x, n, single ? rho : FIRST_SHARE));
    out->count = egc_kernels_get()->select(x, n, egc_largest_float_at_least(t), out->index);
    if (single)
        return EGC_OK;
    float *tail = egc_largest_gather(x, out->index, out->count, context->scratch);
    if (!tail)
        return egc_fail_memory(err, out->count * sizeof *tail);
    double d = pow(rho / FIRST_SHARE, 1 / (double)(stages - 1));
    for (int64_t stage = 1; stage < stages; stage++) {
        float least =
            egc_largest_float_at_least(fmin(max, tail_threshold(fit, tail, out->count, d)));
        out->count = egc_largest_keep(tail, out->index, out->count, least);
    }
    return EGC_OK;
}

static egc_status select_fitted(const void *params_, void *state_, const egc_context *context,
                                const float *x, size_t n, egc_selection *out, egc_error *err)
{
    const sidco_params *params = params_;
    sidco_state *state = state_;
    out->count = 0;
    if (context->max_abs == 0)
        return EGC_OK;
    if (state->stages == 0)
        state->stages = 1;
    int64_t stages = params->stages > 0 ? params->stages : state->stages;
    egc_status status = select_in_stages(params->distribution, stages, context, x, n, out, err);
    if (!status && params->stages < 0)
        adapt_stages(state, out->count, fmax(1, context->density * (double)n), context->density);
    return status;
}

static egc_status check(const void *params_, egc_error *err)
{
    const sidco_params *params = params_;
    if (params->stages > 1 && params->ratio >= FIRST_SHARE)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "stages needs a ratio below 0.25, which one stage is enough for; got %g",
                        params->ratio);
    return EGC_OK;
}

static size_t state_size(const void *params, const egc_unit *unit)
{
    (void)params, (void)unit;
    return sizeof(sidco_state);
}

/* At least the largest element is sent. */
static double contraction(const void *params, size_t n)
{
    (void)params;
    return 1 / (double)n;
}

const egc_compressor_type egc_compressor_sidco = {
    .name = "sidco",
    .summary = "the elements above the quantile of a distribution fitted in stages",
    .size = "sparse, k = the number of |x_i| >= t",
    .formula = "S = {i : |x_i| >= t}, t the quantile of a distribution fitted to |x|, then to the "
               "tail above the last t, until a share `ratio` stays; C(x)_i = x_i on S",
    .reference = "Abdelmoniem et al. 2021, arXiv 2101.10761",
    .traits = EGC_TRAIT_CONTRACTION | EGC_TRAIT_SCALE_FREE,
    .params = params_table,
    .params_size = sizeof(sidco_params),
    .check = check,
    .state_size = state_size,
    .cost = {.bytes_per_element = 12, .kernels = 8},
    .density = egc_largest_ratio,
    .contraction = contraction,
    .select = select_fitted,
};
