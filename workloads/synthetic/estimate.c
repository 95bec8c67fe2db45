/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maximum likelihood by GSL's Nelder-Mead simplex (nmsimplex2), over log(scale), the shape or its
 * logarithm, and the logit of the mix. */
#include "workloads/synthetic/estimate.h"

#include <gsl/gsl_multimin.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>

#include "base/mem.h"

enum { N_ALONE = 1024, N_GROUPS = 2048, N_RANKS = 4096, MAX_ROUNDS = 400 };

/* A group of neighbouring magnitudes. */
typedef struct egc_estimate_point {
    double mean, mean_log, weight; /* the weights sum to 1 */
} egc_estimate_point;

/* ---- groups ---------------------------------------------------------------------------------- */

static egc_estimate_point sum_up(const double *sorted, size_t count, size_t n)
{
    egc_estimate_point point = {.weight = (double)count / (double)n};
    for (size_t i = 0; i < count; i++) {
        point.mean += sorted[i] / (double)count;
        point.mean_log += log(sorted[i]) / (double)count;
    }
    return point;
}

egc_status egc_estimate_init(egc_estimate *estimate, const double *sorted, size_t n, egc_error *err)
{
    size_t alone = n < N_ALONE + N_GROUPS ? n : N_ALONE, grouped = n - alone;
    size_t n_groups = grouped ? N_GROUPS : 0;
    *estimate = (egc_estimate){.sorted = sorted, .n = n, .n_points = n_groups + alone};
    estimate->points = egc_calloc(estimate->n_points, sizeof *estimate->points);
    if (!estimate->points)
        return egc_fail_memory(err, estimate->n_points * sizeof *estimate->points);
    for (size_t g = 0; g < n_groups; g++) {
        size_t first = g * grouped / n_groups, end = (g + 1) * grouped / n_groups;
        estimate->points[g] = sum_up(sorted + first, end - first, n);
    }
    for (size_t i = 0; i < alone; i++)
        estimate->points[n_groups + i] = sum_up(sorted + grouped + i, 1, n);
    return EGC_OK;
}

void egc_estimate_fini(egc_estimate *estimate)
{
    egc_free(estimate->points);
    *estimate = (egc_estimate){0};
}

/* ---- likelihood ------------------------------------------------------------------------------ */

static double weighted_mean(const egc_estimate *e, double power)
{
    double sum = 0;
    for (size_t i = 0; i < e->n_points; i++)
        sum += e->points[i].weight * pow(e->points[i].mean, power);
    return sum;
}

/* log of c exp(-(y/a)^b) (y/a)^d: generalized-gaussian and weibull. */
static double power_likelihood(const egc_estimate *e, double a, double b, double d, double log_c)
{
    double sum = 0, log_a = log(a);
    for (size_t i = 0; i < e->n_points; i++) {
        double l = e->points[i].mean_log - log_a;
        sum += e->points[i].weight * (d * l - exp(fmin(b * l, 600)));
    }
    return log_c + sum;
}

static double student_likelihood(const egc_estimate *e, double a, double b)
{
    double sum = 0;
    double log_c =
        gsl_sf_lngamma((b + 1) / 2) - gsl_sf_lngamma(b / 2) - 0.5 * log(b * M_PI) + M_LN2 - log(a);
    for (size_t i = 0; i < e->n_points; i++) {
        double y = e->points[i].mean / a;
        sum += e->points[i].weight * log1p(y * y / b);
    }
    return log_c - (b + 1) / 2 * sum;
}

static double pareto_likelihood(const egc_estimate *e, double a, double b)
{
    double sum = 0;
    for (size_t i = 0; i < e->n_points; i++) {
        double y = e->points[i].mean / a;
        if (b * y <= -1)
            return -INFINITY; /* beyond the largest possible magnitude */
        sum += e->points[i].weight * (fabs(b) < 1e-9 ? y : (1 + 1 / b) * log1p(b * y));
    }
    return -log(a) - sum;
}

static double mixture_likelihood(const egc_estimate *e, double a, double b, double mix)
{
    double sum = 0;
    for (size_t i = 0; i < e->n_points; i++) {
        double y = e->points[i].mean / a, wide = y / b;
        double narrow = (1 - mix) * exp(-y * y / 2), rest = mix / b * exp(-wide * wide / 2);
        sum += e->points[i].weight * log(fmax(narrow + rest, 1e-300));
    }
    return sum - log(a);
}

static double likelihood(const egc_estimate *e, const egc_law *law)
{
    double a = law->scale, b = law->shape;
    switch (law->distribution) {
    case EGC_GENERALIZED_GAUSSIAN:
        return power_likelihood(e, a, b, 0, log(b / a) - gsl_sf_lngamma(1 / b));
    case EGC_WEIBULL:
        return power_likelihood(e, a, b, b - 1, log(b / a));
    case EGC_STUDENT_T:
        return student_likelihood(e, a, b);
    case EGC_GENERALIZED_PARETO:
        return pareto_likelihood(e, a, b);
    default:
        return mixture_likelihood(e, a, b, law->mix);
    }
}

/* ---- maximum --------------------------------------------------------------------------------- */

typedef struct climb {
    const egc_estimate *estimate;
    egc_distribution distribution;
} climb;

static bool has_log_shape(egc_distribution distribution)
{
    return distribution != EGC_GENERALIZED_PARETO;
}

/* The law at a point of the simplex: log(scale), the shape or its logarithm, the logit of the mix.
 */
static egc_law law_at(egc_distribution distribution, const gsl_vector *at)
{
    double shape = gsl_vector_get(at, 1);
    return (egc_law){
        .distribution = distribution,
        .scale = exp(gsl_vector_get(at, 0)),
        .shape = has_log_shape(distribution) ? exp(shape) : shape,
        .mix = distribution == EGC_MIXTURE ? 1 / (1 + exp(-gsl_vector_get(at, 2))) : NAN,
    };
}

/* Negative log-likelihood. Shapes outside their range cost more the farther they lie. */
static double cost_at(const gsl_vector *at, void *arg)
{
    const climb *c = arg;
    double min, max;
    egc_law law = law_at(c->distribution, at);
    egc_law_shape_range(c->distribution, &min, &max);
    double excess = fmax(min - law.shape, law.shape - max);
    if (!(excess <= 0))
        return 1e6 * (1 + fmin(excess, 1e6));
    double value = -likelihood(c->estimate, &law);
    return isfinite(value) ? value : 1e5;
}

static egc_status climb_from(const climb *c, gsl_vector *start, gsl_vector *step, size_t n_dims,
                             egc_law *out, egc_error *err)
{
    gsl_multimin_function function = {cost_at, n_dims, (void *)c};
    gsl_multimin_fminimizer *simplex =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, n_dims);
    if (!simplex)
        return egc_fail_memory(err, sizeof *simplex);
    gsl_multimin_fminimizer_set(simplex, &function, start, step);
    for (int round = 0; round < MAX_ROUNDS; round++)
        if (gsl_multimin_fminimizer_iterate(simplex) ||
            gsl_multimin_fminimizer_size(simplex) < 1e-5)
            break;
    *out = law_at(c->distribution, gsl_multimin_fminimizer_x(simplex));
    gsl_multimin_fminimizer_free(simplex);
    return EGC_OK;
}

/* Starting points are for magnitudes whose mean is `mean`. */
static egc_status climb_to(const egc_estimate *e, egc_distribution distribution, double mean,
                           egc_law *out, egc_error *err)
{
    static const double starts[EGC_N_DISTRIBUTIONS][3] = {
        [EGC_GENERALIZED_GAUSSIAN] = {0.7, 0.8},
        [EGC_STUDENT_T] = {0.8, 4},
        [EGC_WEIBULL] = {0.9, 0.9},
        [EGC_GENERALIZED_PARETO] = {0.9, 0.1},
        [EGC_MIXTURE] = {0.9, 3, 0.2},
    };
    const double *s = starts[distribution];
    size_t n_dims = distribution == EGC_MIXTURE ? 3 : 2;
    double at[] = {log(s[0] * mean), has_log_shape(distribution) ? log(s[1]) : s[1],
                   s[2] > 0 ? log(s[2] / (1 - s[2])) : 0};
    double by[] = {0.3, has_log_shape(distribution) ? 0.3 : 0.1, 0.5};
    gsl_vector_view start = gsl_vector_view_array(at, n_dims),
                    step = gsl_vector_view_array(by, n_dims);
    const climb c = {e, distribution};
    return climb_from(&c, &start.vector, &step.vector, n_dims, out, err);
}

egc_status egc_estimate_law(const egc_estimate *estimate, egc_distribution distribution,
                            egc_law *out, egc_error *err)
{
    double mean = weighted_mean(estimate, 1);
    *out = (egc_law){distribution, mean, NAN, NAN, 0};
    if (distribution == EGC_LAPLACE)
        return EGC_OK;
    if (distribution != EGC_GAUSSIAN)
        return climb_to(estimate, distribution, mean, out, err);
    double square = 0;
    for (size_t i = 0; i < estimate->n; i++)
        square += estimate->sorted[i] * estimate->sorted[i] / (double)estimate->n;
    out->scale = sqrt(square);
    return EGC_OK;
}

/* ---- goodness of fit ------------------------------------------------------------------------- */

double egc_estimate_distance(const egc_estimate *e, const egc_law *law)
{
    double most = 0, n = (double)e->n;
    size_t n_ranks = e->n < N_RANKS ? e->n : N_RANKS;
    for (size_t r = 0; r < n_ranks; r++) {
        size_t i =
            (size_t)((double)r * (double)(e->n - 1) / (double)(n_ranks > 1 ? n_ranks - 1 : 1));
        double below = egc_law_below(law, e->sorted[i] / law->scale);
        most = fmax(most, fmax(below - (double)i / n, (double)(i + 1) / n - below));
    }
    return most;
}

double egc_estimate_tail(const egc_estimate *e, const egc_law *law)
{
    if (e->n < 1000)
        return NAN;
    double got = gsl_stats_quantile_from_sorted_data(e->sorted, 1, e->n, 0.999);
    return law->scale * egc_law_quantile(law, 0.001, 0.999, 0) / got - 1;
}
