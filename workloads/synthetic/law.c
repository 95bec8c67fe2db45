/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution functions by GSL, in forms that stay precise in both tails, and quantiles by closed
 * forms or Newton's method. */
#include "workloads/synthetic/law.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

const char *const egc_law_names[] = {
    [EGC_LAPLACE] = "laplace",
    [EGC_GAUSSIAN] = "gaussian",
    [EGC_GENERALIZED_GAUSSIAN] = "generalized-gaussian",
    [EGC_STUDENT_T] = "student-t",
    [EGC_WEIBULL] = "weibull",
    [EGC_GENERALIZED_PARETO] = "generalized-pareto",
    [EGC_MIXTURE] = "mixture",
    NULL,
};

/* Defaults are typical of gradients. The ranges keep the largest magnitudes (once in 2^42 values)
 * below 1e26. */
static const struct {
    double shape, min, max, mix;
} shapes[] = {
    [EGC_LAPLACE] = {NAN, 0, 0, NAN},
    [EGC_GAUSSIAN] = {NAN, 0, 0, NAN},
    [EGC_GENERALIZED_GAUSSIAN] = {0.7, 0.1, 20, NAN},
    [EGC_STUDENT_T] = {3, 0.5, 1000, NAN},
    [EGC_WEIBULL] = {0.7, 0.1, 20, NAN},
    [EGC_GENERALIZED_PARETO] = {0.2, -1, 2, NAN},
    [EGC_MIXTURE] = {10, 1, 1e6, 0.1},
};

double egc_law_default_shape(egc_distribution distribution)
{
    return shapes[distribution].shape;
}

double egc_law_default_mix(egc_distribution distribution)
{
    return shapes[distribution].mix;
}

void egc_law_shape_range(egc_distribution distribution, double *min, double *max)
{
    *min = shapes[distribution].min;
    *max = shapes[distribution].max;
}

egc_status egc_law_check(const egc_law *law, egc_error *err)
{
    const char *name = egc_law_names[law->distribution];
    double min, max;
    egc_law_shape_range(law->distribution, &min, &max);
    if (isnan(shapes[law->distribution].shape) && !isnan(law->shape))
        return egc_fail(err, EGC_ERROR_RANGE, "shape: %s has none, got %g", name, law->shape);
    if (!isnan(law->shape) && !(law->shape >= min && law->shape <= max))
        return egc_fail(err, EGC_ERROR_RANGE, "shape: must be in [%g, %g] for %s, got %g", min, max,
                        name, law->shape);
    if (isnan(shapes[law->distribution].mix) && !isnan(law->mix))
        return egc_fail(err, EGC_ERROR_RANGE, "mix: only mixture has one, %s was given %g", name,
                        law->mix);
    return EGC_OK;
}

bool egc_law_alike(const egc_law *a, const egc_law *b)
{
    bool same_shape = a->shape == b->shape || (isnan(a->shape) && isnan(b->shape));
    bool same_mix = a->mix == b->mix || (isnan(a->mix) && isnan(b->mix));
    return a->distribution == b->distribution && same_shape && same_mix && a->zeros == b->zeros;
}

/* ---- distribution functions ------------------------------------------------------------------ */

/* y^b, limited so that the incomplete gamma function does not underflow. */
static double power(double y, double b)
{
    return fmin(pow(y, b), 650);
}

static double pareto_above(double y, double b)
{
    if (fabs(b) < 1e-12)
        return exp(-y);
    return b * y > -1 ? exp(-log1p(b * y) / b) : 0;
}

static double gaussian_above(double y)
{
    return erfc(y * M_SQRT1_2);
}

double egc_law_above(const egc_law *law, double y)
{
    double b = law->shape;
    switch (law->distribution) {
    case EGC_LAPLACE:
        return exp(-y);
    case EGC_GAUSSIAN:
        return gaussian_above(y);
    case EGC_GENERALIZED_GAUSSIAN:
        return gsl_cdf_gamma_Q(power(y, b), 1 / b, 1);
    case EGC_STUDENT_T:
        return 2 * gsl_cdf_tdist_Q(y, b);
    case EGC_WEIBULL:
        return exp(-pow(y, b));
    case EGC_GENERALIZED_PARETO:
        return pareto_above(y, b);
    default:
        return (1 - law->mix) * gaussian_above(y) + law->mix * gaussian_above(y / b);
    }
}

double egc_law_below(const egc_law *law, double y)
{
    double b = law->shape;
    switch (law->distribution) {
    case EGC_LAPLACE:
        return -expm1(-y);
    case EGC_GAUSSIAN:
        return erf(y * M_SQRT1_2);
    case EGC_GENERALIZED_GAUSSIAN:
        return gsl_cdf_gamma_P(power(y, b), 1 / b, 1);
    case EGC_STUDENT_T: /* by the F distribution of t^2: no cancellation near 0 */
        return gsl_cdf_fdist_P(y * y, 1, b);
    case EGC_WEIBULL:
        return -expm1(-pow(y, b));
    case EGC_GENERALIZED_PARETO:
        if (fabs(b) < 1e-12)
            return -expm1(-y);
        return b * y > -1 ? -expm1(-log1p(b * y) / b) : 1;
    default:
        return (1 - law->mix) * erf(y * M_SQRT1_2) + law->mix * erf(y / b * M_SQRT1_2);
    }
}

double egc_law_density(const egc_law *law, double y)
{
    double b = law->shape;
    switch (law->distribution) {
    case EGC_LAPLACE:
        return exp(-y);
    case EGC_GAUSSIAN:
        return 2 * gsl_ran_ugaussian_pdf(y);
    case EGC_GENERALIZED_GAUSSIAN:
        return 2 * gsl_ran_exppow_pdf(y, 1, b);
    case EGC_STUDENT_T:
        return 2 * gsl_ran_tdist_pdf(y, b);
    case EGC_WEIBULL:
        return gsl_ran_weibull_pdf(y, 1, b);
    case EGC_GENERALIZED_PARETO:
        return b * y > -1 ? pareto_above(y, b) / (1 + b * y) : 0;
    default:
        return 2 * ((1 - law->mix) * gsl_ran_ugaussian_pdf(y) +
                    law->mix * gsl_ran_ugaussian_pdf(y / b) / b);
    }
}

/* ---- quantiles ------------------------------------------------------------------------------- */

/* Newton's method for the logarithm of a probability as a function of log(y), which is nearly
 * straight: two or three steps from a near hint. A bracket replaces steps that leave it. */
static double search(const egc_law *law, double probability, bool above, double hint)
{
    double y = hint > 0 ? hint : 1, low = 0, high = INFINITY;
    for (int round = 0; round < 200 && high > low * (1 + 1e-12); round++) {
        double p = above ? egc_law_above(law, y) : egc_law_below(law, y);
        double slope = y * egc_law_density(law, y);
        if ((p > probability) == above)
            low = y;
        else
            high = y;
        double step = log(p / probability) * p / slope, next = y * exp(above ? step : -step);
        if (fabs(step) < 1e-6) /* the next step would be about its square */
            return next;
        if (!(next > low && next < high && fabs(step) < 2))
            next = low == 0 ? high / 4 : isinf(high) ? low * 4 : sqrt(low * high);
        y = next;
    }
    return y;
}

static double pareto_quantile(double above, double below, double b)
{
    double log_above = above < below ? log(above) : log1p(-below);
    return fabs(b) < 1e-12 ? -log_above : expm1(-b * log_above) / b;
}

double egc_law_quantile(const egc_law *law, double above, double below, double hint)
{
    double rest = 1 - law->zeros, b = law->shape;
    above /= rest; /* shares of the values that are not 0 */
    below = (below - law->zeros) / rest;
    if (!(below > 0))
        return 0;
    bool is_tail = above < below;
    switch (law->distribution) {
    case EGC_LAPLACE:
        return pareto_quantile(above, below, 0);
    case EGC_GENERALIZED_PARETO:
        return pareto_quantile(above, below, b);
    case EGC_WEIBULL:
        return pow(pareto_quantile(above, below, 0), 1 / b);
    case EGC_GAUSSIAN:
        return is_tail ? gsl_cdf_ugaussian_Qinv(above / 2)
                       : gsl_cdf_ugaussian_Pinv(0.5 + below / 2);
    default:
        return search(law, is_tail ? above : below, is_tail, hint);
    }
}
