/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distributions of synthetic gradients, by formulas other than those they are computed by. */
#include <math.h>

#include "base/mem.h"
#include "support/test.h"
#include "workloads/synthetic/law.h"
#include "workloads/synthetic/series.h"
#include "workloads/synthetic/source.h"

static egc_law law_of(egc_distribution distribution, double shape, double mix, double zeros)
{
    return (egc_law){distribution, 1, shape, mix, zeros};
}

/* A law of each kind, the ends of the shapes' ranges among them. */
static const egc_law laws[] = {
    {EGC_LAPLACE, 1, NAN, NAN, 0},
    {EGC_GAUSSIAN, 1, NAN, NAN, 0},
    {EGC_GENERALIZED_GAUSSIAN, 1, 0.7, NAN, 0},
    {EGC_GENERALIZED_GAUSSIAN, 1, 0.1, NAN, 0},
    {EGC_GENERALIZED_GAUSSIAN, 1, 20, NAN, 0},
    {EGC_STUDENT_T, 1, 3, NAN, 0},
    {EGC_STUDENT_T, 1, 0.5, NAN, 0},
    {EGC_STUDENT_T, 1, 1000, NAN, 0},
    {EGC_WEIBULL, 1, 0.7, NAN, 0},
    {EGC_WEIBULL, 1, 0.1, NAN, 0},
    {EGC_WEIBULL, 1, 20, NAN, 0},
    {EGC_GENERALIZED_PARETO, 1, 0.2, NAN, 0},
    {EGC_GENERALIZED_PARETO, 1, 0, NAN, 0},
    {EGC_GENERALIZED_PARETO, 1, -1, NAN, 0},
    {EGC_GENERALIZED_PARETO, 1, 2, NAN, 0},
    {EGC_MIXTURE, 1, 10, 0.1, 0},
    {EGC_MIXTURE, 1, 1e6, 1e-4, 0},
};
enum { N_LAWS = sizeof laws / sizeof *laws };

static void assert_above(egc_distribution distribution, double shape, double y, double want)
{
    egc_law law = law_of(distribution, shape, 0.25, 0);
    assert_close(egc_law_above(&law, y), want, 1e-12);
}

/* Closed forms: student-t with 1 degree is Cauchy's, with 2 it is algebraic; generalized-gaussian
 * with b = 1 is Laplace's, with b = 2 erfc. */
static void synthetic_law__tails_have_their_closed_forms(void **state)
{
    (void)state;
    assert_above(EGC_LAPLACE, NAN, 2, exp(-2));
    assert_above(EGC_GAUSSIAN, NAN, 1.959963984540054, 0.05);
    assert_above(EGC_GENERALIZED_GAUSSIAN, 1, 2, exp(-2));
    assert_above(EGC_GENERALIZED_GAUSSIAN, 2, 0.7, erfc(0.7));
    assert_above(EGC_STUDENT_T, 1, 1, 0.5);
    assert_above(EGC_STUDENT_T, 2, 3, 1 - 3 / sqrt(11));
    assert_above(EGC_WEIBULL, 0.5, 9, exp(-3));
    assert_above(EGC_GENERALIZED_PARETO, 0.5, 2, 0.25);
    assert_above(EGC_GENERALIZED_PARETO, 0, 2, exp(-2));
    assert_above(EGC_GENERALIZED_PARETO, -1, 0.25, 0.75);
    assert_above(EGC_GENERALIZED_PARETO, -1, 2, 0);
    assert_above(EGC_MIXTURE, 4, 2, 0.75 * erfc(sqrt(2)) + 0.25 * erfc(sqrt(2) / 4));
}

static void synthetic_law__parts_sum_to_one_and_have_the_density_as_slope(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_LAWS; i++)
        for (double p = 0.05; p < 1; p += 0.1) {
            const egc_law *law = &laws[i];
            double y = egc_law_quantile(law, 1 - p, p, 0), h = 1e-5 * y;
            double slope = (egc_law_below(law, y + h) - egc_law_below(law, y - h)) / (2 * h);
            assert_true(fabs(egc_law_above(law, y) + egc_law_below(law, y) - 1) < 1e-9);
            assert_close(egc_law_density(law, y), slope, 1e-3);
        }
}

static void synthetic_law__quantiles_invert_both_tails(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_LAWS; i++)
        for (int e = 1; e <= 42; e++) {
            double p = ldexp(1, -e);
            double far = egc_law_quantile(&laws[i], p, 1 - p, 0);
            double near = egc_law_quantile(&laws[i], 1 - p, p, 0);
            assert_close(egc_law_above(&laws[i], far), p, 1e-6);
            assert_close(egc_law_below(&laws[i], near), p, 1e-6);
            assert_true(near <= far * (1 + 1e-9) && far < 1e27);
        }
}

static void synthetic_law__zeros_come_before_the_rest(void **state)
{
    (void)state;
    egc_law law = law_of(EGC_LAPLACE, NAN, NAN, 0.75);
    assert_true(egc_law_quantile(&law, 0.25, 0.75, 0) == 0);
    assert_true(egc_law_quantile(&law, 0.6, 0.4, 0) == 0);
    assert_close(egc_law_quantile(&law, 0.25 * exp(-3), 1 - 0.25 * exp(-3), 0), 3, 1e-12);
}

static void synthetic_law__shapes_are_checked(void **state)
{
    (void)state;
    egc_error err;
    egc_law none = law_of(EGC_LAPLACE, 0.5, NAN, 0), low = law_of(EGC_STUDENT_T, 0.25, NAN, 0);
    egc_law mixed = law_of(EGC_WEIBULL, 1, 0.5, 0);
    assert_fails(egc_law_check(&none, &err), err, EGC_ERROR_RANGE,
                 "shape: laplace has none, got 0.5");
    assert_fails(egc_law_check(&low, &err), err, EGC_ERROR_RANGE,
                 "shape: must be in [0.5, 1000] for student-t, got 0.25");
    assert_fails(egc_law_check(&mixed, &err), err, EGC_ERROR_RANGE,
                 "mix: only mixture has one, weibull was given 0.5");
    for (size_t i = 0; i < N_LAWS; i++)
        assert_ok(egc_law_check(&laws[i], &err), err);
}

/* ---- tables --------------------------------------------------------------------------------- */

/* A quantile from a table is that of the law to within what a chord misses of an arc: in the
 * probability it stands for, or in the places of a float. */
static void assert_follows(const egc_law *law, double above, double below, double got)
{
    double want = egc_law_quantile(law, above, below, 0);
    double p = above < below ? egc_law_above(law, got) / above : egc_law_below(law, got) / below;
    if (!(fabs(p - 1) < 0.003 || fabs(got / want - 1) < 1e-6))
        fail_msg("%s, shape %g, above %g: got %g, want %g", egc_law_names[law->distribution],
                 law->shape, above, got, want);
}

static void synthetic_law__tables_follow_the_law(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_LAWS; i++) {
        egc_source m;
        egc_error err = {0};
        assert_ok(egc_source_init(&m, &laws[i], true, true, &err), err);
        for (double z = 0.01; z < 6; z *= 1.037)
            assert_follows(&laws[i], erfc(z * M_SQRT1_2), erf(z * M_SQRT1_2),
                           egc_curve_at(m.normal, EGC_NORMAL_LOW, EGC_NORMAL_CUT, (float)z));
        for (double above = 0.49; above > 1e-12; above *= 0.93) {
            float number = (float)ldexp(above, EGC_MEDIAN + 1);
            assert_follows(&laws[i], above, 1 - above,
                           egc_curve_at(m.random, EGC_RAREST, EGC_RANDOM_CUT, number));
        }
        egc_source_fini(&m);
    }
}

static void synthetic_law__largest_values_are_finite(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_LAWS; i++) {
        egc_source m;
        egc_error err = {0};
        assert_ok(egc_source_init(&m, &laws[i], true, true, &err), err);
        float rarest = egc_curve_at(m.random, EGC_RAREST, EGC_RANDOM_CUT, ldexpf(1, EGC_RAREST));
        float farthest =
            egc_curve_at(m.normal, EGC_NORMAL_LOW, EGC_NORMAL_CUT, ldexpf(1, EGC_NORMAL_HIGH));
        if (!isfinite(rarest * 1e12f) || !isfinite(farthest * 1e12f))
            fail_msg("law %zu: %g, %g", i, (double)rarest, (double)farthest);
        egc_source_fini(&m);
    }
}

/* ---- series --------------------------------------------------------------------------------- */

/* By hand, from the definition. */
static void synthetic_law__a_series_has_its_known_answer(void **state)
{
    (void)state;
    egc_series s;
    egc_series_at(0.125, 1, &s);
    assert_int_equal(s.n, 3);
    assert_true(s.step[0] == 0 && s.step[1] == 2 && s.step[2] == 1);
    assert_true(s.weight[0] == 0.125 && s.weight[1] == 0.125);
    assert_close(s.weight[2], sqrt(31.0 / 32), 1e-15);
    egc_series_at(0, 7, &s);
    assert_true(s.n == 1 && s.step[0] == 7 && s.weight[0] == 1);
    egc_series_at(1, 7, &s);
    assert_true(s.n == 1 && s.step[0] == 0 && s.weight[0] == 1);
}

/* The covariance of z at two steps, from the innovations they share. */
static double covariance(const egc_series *a, const egc_series *b)
{
    double sum = 0;
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++)
            if (a->step[i] == b->step[j])
                sum += a->weight[i] * b->weight[j];
    return sum;
}

static void synthetic_law__neighbours_are_correlated_as_asked(void **state)
{
    (void)state;
    static const double wanted[] = {0.01, 0.05, 0.1, 0.5, 0.9, 0.99, 0.9999, 1 - 1e-12};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (uint64_t step = 0; step < 3000; step++) {
            egc_series here, next, later;
            egc_series_at(wanted[i], step, &here);
            egc_series_at(wanted[i], step + 1, &next);
            egc_series_at(wanted[i], step + 5, &later);
            assert_true(fabs(covariance(&here, &here) - 1) < 1e-12);
            if (wanted[i] > 1.0 / 64)
                assert_true(fabs(covariance(&here, &next) - wanted[i]) < 1e-12);
            assert_true(fabs(covariance(&here, &later) - pow(wanted[i], 5)) < 0.03);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synthetic_law__tails_have_their_closed_forms),
        cmocka_unit_test(synthetic_law__parts_sum_to_one_and_have_the_density_as_slope),
        cmocka_unit_test(synthetic_law__quantiles_invert_both_tails),
        cmocka_unit_test(synthetic_law__zeros_come_before_the_rest),
        cmocka_unit_test(synthetic_law__shapes_are_checked),
        cmocka_unit_test(synthetic_law__tables_follow_the_law),
        cmocka_unit_test(synthetic_law__largest_values_are_finite),
        cmocka_unit_test(synthetic_law__a_series_has_its_known_answer),
        cmocka_unit_test(synthetic_law__neighbours_are_correlated_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
