/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Synthetic gradients: their distributions, tested against GSL's by Kolmogorov and Smirnov's test,
 * with every kind of correlation; the correlations; and that each gradient depends on its own seed,
 * worker, step and layer alone. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort_float.h>
#include <gsl/gsl_statistics_float.h>
#include <stdlib.h>

#include "base/mem.h"
#include "support/test.h"
#include "workloads/synthetic/layers.h"

enum { N = 80000 };

static float drawn[4][N];

static const egc_workload_type *type_of(void)
{
    const egc_workload_type *type;
    egc_error err = {0};
    assert_ok(egc_workload_find("synthetic", &type, &err), err);
    return type;
}

/* Sets "key=value key=value". */
static void configure(egc_synthetic_params *params, const char *settings)
{
    char text[512];
    egc_error err = {0};
    egc_param_init(egc_synthetic_layers_params, params);
    snprintf(text, sizeof text, "%s", settings);
    for (char *key = strtok(text, " "); key; key = strtok(NULL, " ")) {
        char *equals = strchr(key, '=');
        *equals = '\0';
        egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = equals + 1};
        assert_ok(
            egc_param_set(egc_param_find(egc_synthetic_layers_params, key), params, &value, &err),
            err);
    }
}

static egc_synthetic_row row_of(const char *name, const char *dims)
{
    egc_synthetic_row row;
    egc_param_init(egc_synthetic_layers_row_params, &row);
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.dims, sizeof row.dims, "%s", dims);
    return row;
}

static egc_workload *open_rows(const char *settings, egc_synthetic_row *rows, size_t n,
                               uint64_t seed)
{
    egc_workload *workload;
    egc_error err = {0};
    egc_synthetic_params params;
    configure(&params, settings);
    params.layers = (egc_param_list){rows, n};
    const egc_workload_request request = {.workers = 8, .steps = 101, .seed = seed};
    assert_ok(egc_workload_new(type_of(), &params, &request, &workload, &err), err);
    return workload;
}

/* One layer of N values. */
static egc_workload *open_one(const char *settings)
{
    egc_synthetic_row row = row_of("w", "80000");
    return open_rows(settings, &row, 1, 42);
}

static void draw(egc_workload *workload, uint64_t step, size_t worker, float *out)
{
    double loss;
    egc_error err = {0};
    assert_ok(workload->type->gradient(workload, step, worker, NULL, out, &loss, &err), err);
    assert_true(isnan(loss));
}

/* ---- distributions -------------------------------------------------------------------------- */

/* GSL's distribution functions of x, scale 1. */
static double laplace(double x)
{
    return gsl_cdf_laplace_P(x, 1);
}

static double gaussian(double x)
{
    return gsl_cdf_ugaussian_P(x);
}

static double power(double x)
{
    return gsl_cdf_exppow_P(x, 1, 0.6);
}

static double student(double x)
{
    return gsl_cdf_tdist_P(x, 2.5);
}

static double weibull(double x)
{
    double above = gsl_cdf_weibull_Q(fabs(x), 1, 0.8) / 2;
    return x < 0 ? above : 1 - above;
}

/* 1 + y / 3 is Pareto's with exponent 3: GSL's, shifted. */
static double pareto(double x)
{
    double above = gsl_cdf_pareto_Q(1 + fabs(x) / 3, 3, 1) / 2;
    return x < 0 ? above : 1 - above;
}

static double mixture(double x)
{
    return 0.9 * gsl_cdf_gaussian_P(x, 1) + 0.1 * gsl_cdf_gaussian_P(x, 8);
}

static const struct {
    const char *settings;
    double (*below)(double x);
} distributions[] = {
    {"distribution=laplace", laplace},
    {"distribution=gaussian", gaussian},
    {"distribution=generalized-gaussian shape=0.6", power},
    {"distribution=student-t shape=2.5", student},
    {"distribution=weibull shape=0.8", weibull},
    {"distribution=generalized-pareto shape=0.3333333333333333", pareto},
    {"distribution=mixture shape=8", mixture},
};
enum { N_DISTRIBUTIONS = sizeof distributions / sizeof *distributions };

static double distance(float *values, double scale, double (*below)(double x))
{
    double most = 0;
    gsl_sort_float(values, 1, N);
    for (size_t i = 0; i < N; i++) {
        double p = below(values[i] / scale);
        most = fmax(most, fmax(p - (double)i / N, (double)(i + 1) / N - p));
    }
    return most;
}

/* sqrt(N) D exceeds 1.95 once in a thousand. */
static void assert_distributed(const char *settings, double (*below)(double x))
{
    egc_workload *workload = open_one(settings);
    for (uint64_t step = 0; step < 100; step += 60) {
        draw(workload, step, (size_t)step % 8, drawn[0]);
        double d = sqrt(N) * distance(drawn[0], 0.001, below);
        if (!(d < 1.95))
            fail_msg("%s: step %d: sqrt(N) D = %g", settings, (int)step, d);
    }
    egc_workload_free(workload);
}

static void synthetic__values_have_their_distribution_whatever_the_correlation(void **state)
{
    (void)state;
    static const char *const correlations[] = {
        "",
        "worker_correlation=0.4",
        "worker_correlation=1",
        "time_correlation=0.7",
        "worker_correlation=0.6 time_correlation=0.95",
        "time_correlation=1",
    };
    for (size_t d = 0; d < N_DISTRIBUTIONS; d++)
        for (size_t c = 0; c < sizeof correlations / sizeof *correlations; c++) {
            char settings[256];
            snprintf(settings, sizeof settings, "%s %s", distributions[d].settings,
                     correlations[c]);
            assert_distributed(settings, distributions[d].below);
        }
}

/* The test above can fail: it tells neighbours apart. */
static void synthetic__the_test_of_distributions_has_power(void **state)
{
    (void)state;
    egc_workload *workload = open_one("distribution=generalized-gaussian shape=0.64");
    draw(workload, 0, 0, drawn[0]);
    assert_true(sqrt(N) * distance(drawn[0], 0.001, power) > 1.95);
    egc_workload_free(workload);
}

static void synthetic__a_share_is_exactly_zero(void **state)
{
    (void)state;
    static const char *const settings[] = {"zeros=0.3", "zeros=0.3 time_correlation=0.5"};
    for (size_t s = 0; s < 2; s++) {
        size_t n_zero = 0, n_large = 0, n_negative_zero = 0;
        egc_workload *workload = open_one(settings[s]);
        draw(workload, 3, 1, drawn[0]);
        for (size_t i = 0; i < N; i++) {
            n_zero += drawn[0][i] == 0;
            n_negative_zero += drawn[0][i] == 0 && signbit(drawn[0][i]);
            n_large += fabsf(drawn[0][i]) > 0.002f;
        }
        assert_close((double)n_zero, 0.3 * N, 0.02);
        assert_close((double)n_large, 0.7 * exp(-2) * N, 0.03);
        assert_int_equal(n_negative_zero, 0);
        egc_workload_free(workload);
    }
}

/* ---- correlation ---------------------------------------------------------------------------- */

static double correlation(const float *a, const float *b)
{
    return gsl_stats_float_correlation(a, 1, b, 1, N);
}

/* Of gaussians, whose values are the normal variables themselves. 0.015 is more than four standard
 * errors. */
static void assert_correlated(const char *settings, double workers, double time)
{
    char text[256];
    snprintf(text, sizeof text, "distribution=gaussian %s", settings);
    egc_workload *workload = open_one(text);
    draw(workload, 12, 0, drawn[0]);
    draw(workload, 12, 3, drawn[1]);
    draw(workload, 13, 0, drawn[2]);
    draw(workload, 13, 3, drawn[3]);
    assert_true(fabs(correlation(drawn[0], drawn[1]) - workers) < 0.015);
    assert_true(fabs(correlation(drawn[0], drawn[2]) - time) < 0.015);
    assert_true(fabs(correlation(drawn[1], drawn[3]) - time) < 0.015);
    assert_true(fabs(correlation(drawn[0], drawn[3]) - workers * time) < 0.015);
    draw(workload, 16, 0, drawn[2]);
    assert_true(fabs(correlation(drawn[0], drawn[2]) - pow(time, 4)) < 0.03);
    egc_workload_free(workload);
}

static void synthetic__workers_and_steps_are_correlated_as_asked(void **state)
{
    (void)state;
    assert_correlated("", 0, 0);
    assert_correlated("worker_correlation=0.3", 0.3, 0);
    assert_correlated("worker_correlation=1", 1, 0);
    assert_correlated("time_correlation=0.8", 0, 0.8);
    assert_correlated("time_correlation=1", 0, 1);
    assert_correlated("worker_correlation=0.5 time_correlation=0.9", 0.5, 0.9);
    assert_correlated("worker_correlation=1 time_correlation=0.6", 1, 0.6);
}

static void synthetic__layers_and_seeds_are_not_correlated(void **state)
{
    (void)state;
    static float values[2 * N];
    egc_synthetic_row rows[] = {row_of("a", "80000"), row_of("b", "800x100")};
    egc_workload *one = open_rows("worker_correlation=0.9", rows, 2, 1);
    egc_workload *other = open_rows("worker_correlation=0.9", rows, 2, 2);
    draw(one, 0, 0, values);
    assert_true(fabs(correlation(values, values + N)) < 0.015);
    memcpy(drawn[0], values, sizeof drawn[0]);
    draw(other, 0, 0, values);
    assert_true(fabs(correlation(values, drawn[0])) < 0.015);
    egc_workload_free(one);
    egc_workload_free(other);
}

/* ---- random access, layers, decay ----------------------------------------------------------- */

static void synthetic__the_order_of_asking_does_not_matter(void **state)
{
    (void)state;
    static const char *const settings[] = {"zeros=0.1",
                                           "worker_correlation=0.2 time_correlation=0.9"};
    for (size_t s = 0; s < 2; s++) {
        egc_workload *forward = open_one(settings[s]), *backward = open_one(settings[s]);
        draw(forward, 5, 2, drawn[0]);
        draw(forward, 6, 1, drawn[1]);
        draw(backward, 6, 1, drawn[2]);
        draw(backward, 7, 7, drawn[3]);
        draw(backward, 5, 2, drawn[3]);
        assert_memory_equal(drawn[0], drawn[3], sizeof drawn[0]);
        assert_memory_equal(drawn[1], drawn[2], sizeof drawn[0]);
        egc_workload_free(forward);
        egc_workload_free(backward);
    }
}

static double mean_magnitude(const float *values, size_t n)
{
    return gsl_stats_float_absdev_m(values, 1, n, 0);
}

/* Steps go from 0 to 100: halfway the scale is the geometric mean. */
static void synthetic__the_scale_decays(void **state)
{
    (void)state;
    egc_workload *workload = open_one("decay=0.01 scale=2");
    draw(workload, 0, 0, drawn[0]);
    assert_close(mean_magnitude(drawn[0], N), 2, 0.01);
    draw(workload, 50, 0, drawn[0]);
    assert_close(mean_magnitude(drawn[0], N), 0.2, 0.01);
    draw(workload, 100, 0, drawn[0]);
    assert_close(mean_magnitude(drawn[0], N), 0.02, 0.01);
    egc_workload_free(workload);
}

static void synthetic__layers_take_from_the_workload_what_they_do_not_say(void **state)
{
    (void)state;
    egc_synthetic_row rows[] = {row_of("a", "100000"), row_of("b", "100000"), row_of("c", "10x2")};
    rows[1].scale = 3;
    rows[1].distribution = 1 + EGC_GAUSSIAN; /* so the workload's shape is not its own */
    rows[1].zeros = 0.5;
    egc_synthetic_params params;
    egc_synthetic_settings plan;
    configure(&params, "distribution=weibull shape=1 scale=5 decay=0.5 worker_correlation=0.1");
    params.layers = (egc_param_list){rows, 3};
    egc_synthetic_layers_settings(&params, 0, &plan);
    assert_true(plan.law.distribution == EGC_WEIBULL && plan.law.shape == 1 && plan.decay == 0.5 &&
                plan.law.scale == 5 && plan.law.zeros == 0 && plan.worker_correlation == 0.1);
    egc_synthetic_layers_settings(&params, 1, &plan);
    assert_true(plan.law.distribution == EGC_GAUSSIAN && isnan(plan.law.shape) &&
                plan.law.scale == 3 && plan.law.zeros == 0.5 && plan.decay == 0.5);
    egc_workload *workload = open_rows("distribution=weibull shape=1 scale=5", rows, 3, 1);
    static float values[200020];
    draw(workload, 0, 0, values);
    assert_close(mean_magnitude(values, 100000), 5, 0.02);
    assert_close(mean_magnitude(values + 100000, 100000), 0.5 * 3 * sqrt(2 / M_PI), 0.02);
    egc_workload_free(workload);
}

static void synthetic__work_is_that_of_the_batch(void **state)
{
    (void)state;
    egc_synthetic_row row = row_of("a", "2x3x4x5");
    row.forward_flops = 10;
    row.backward_flops = 20;
    row.backward_s = 0.5;
    egc_workload *workload = open_rows("batch=8 model=mine", &row, 1, 1);
    const egc_layer *layer = &workload->layers[0];
    assert_string_equal(workload->model, "mine");
    assert_true(layer->count == 120 && layer->shape[0] == 2 && layer->shape[3] == 5);
    assert_true(layer->forward_flops == 80 && layer->backward_flops == 160);
    assert_true(isnan(layer->forward_s) && layer->backward_s == 4);
    egc_workload_free(workload);
    workload = open_rows("model=resnet50", NULL, 0, 1);
    assert_string_equal(workload->model, "resnet50");
    assert_int_equal(workload->n_params, 25557032);
    assert_true(workload->layers[0].forward_flops == 2.0 * 112 * 112 * 64 * 147 * 32);
    egc_workload_free(workload);
}

/* ---- what is wrong -------------------------------------------------------------------------- */

static void assert_refused(const char *settings, const char *dims, egc_status status,
                           const char *message)
{
    egc_error err;
    egc_synthetic_params params;
    egc_synthetic_row rows[] = {row_of("a", "1"), row_of("b", dims ? dims : "")};
    const egc_workload_request request = {.workers = 1, .steps = 1};
    egc_workload *workload;
    configure(&params, settings);
    if (dims)
        params.layers = (egc_param_list){rows, 2};
    assert_fails(egc_workload_new(type_of(), &params, &request, &workload, &err), err, status,
                 message);
}

static void synthetic__says_what_is_wrong(void **state)
{
    (void)state;
    assert_refused("", NULL, EGC_ERROR_NAME,
                   "model: unknown model \"\"; valid: lenet5, resnet20, resnet50, vgg16, alexnet, "
                   "lstm-ptb, transformer-base, bert-base, gpt2-small");
    assert_refused("model=vgg16 shape=0.5", NULL, EGC_ERROR_RANGE,
                   "shape: laplace has none, got 0.5");
    static const char *const wrong[] = {
        "", "0", "3x", "x3", "3 x 4", "-3", "+3", "1x2x3x4x5", "4294967296x4294967296", "0x10"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char message[256];
        snprintf(message, sizeof message,
                 "layers[2]: dims: must be 1 to 4 whole numbers from 1 on, as in \"64x3x7x7\", got "
                 "\"%s\"",
                 wrong[i]);
        assert_refused("", wrong[i], EGC_ERROR_RANGE, message);
    }
    assert_refused("", "18446744073709551615", EGC_ERROR_RANGE,
                   "layers[2]: dims: are too many to count");
    assert_refused("distribution=gaussian mix=0.5", "7", EGC_ERROR_RANGE,
                   "layers[1]: mix: only mixture has one, gaussian was given 0.5");
}

static void synthetic__every_allocation_may_fail(void **state)
{
    (void)state;
    egc_synthetic_row rows[] = {row_of("a", "7"), row_of("b", "5")};
    rows[1].distribution = 1 + EGC_GAUSSIAN;
    rows[1].time_correlation = 0.5;
    egc_synthetic_params params;
    const egc_workload_request request = {.workers = 1, .steps = 1};
    configure(&params, "");
    params.layers = (egc_param_list){rows, 2};
    for (long countdown = 0;; countdown++) {
        egc_workload *workload;
        egc_error err = {0};
        egc_mem_fail_after(countdown);
        egc_status status = egc_workload_new(type_of(), &params, &request, &workload, &err);
        egc_mem_fail_after(-1);
        if (!status) {
            assert_true(countdown >= 8);
            egc_workload_free(workload);
            return;
        }
        assert_int_equal(status, EGC_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synthetic__values_have_their_distribution_whatever_the_correlation),
        cmocka_unit_test(synthetic__the_test_of_distributions_has_power),
        cmocka_unit_test(synthetic__a_share_is_exactly_zero),
        cmocka_unit_test(synthetic__workers_and_steps_are_correlated_as_asked),
        cmocka_unit_test(synthetic__layers_and_seeds_are_not_correlated),
        cmocka_unit_test(synthetic__the_order_of_asking_does_not_matter),
        cmocka_unit_test(synthetic__the_scale_decays),
        cmocka_unit_test(synthetic__layers_take_from_the_workload_what_they_do_not_say),
        cmocka_unit_test(synthetic__work_is_that_of_the_batch),
        cmocka_unit_test(synthetic__says_what_is_wrong),
        cmocka_unit_test(synthetic__every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
