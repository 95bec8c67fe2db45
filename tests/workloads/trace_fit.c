/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fitting a trace gives back what it was made of: parameters within a few percent, the right
 * distribution at a distance that chance explains, and synthetic gradients from the fit that are
 * fitted alike. */
#include "workloads/trace/fit.h"

#include <stdlib.h>

#include "base/mem.h"
#include "support/test.h"
#include "workloads/synthetic/layers.h"
#include "workloads/trace_fixture.h"

/* HDF5 1.10 loses memory of its own when it rejects damage; LeakSanitizer asks for this by name. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

enum { STEPS = 12, WORKERS = 3 };

static const char *path(void)
{
    return scratch_path("fit.h5");
}

static egc_synthetic_row row_of(const char *name, const char *dims, egc_distribution distribution,
                                double shape)
{
    egc_synthetic_row row;
    egc_param_init(egc_synthetic_layers_row_params, &row);
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.dims, sizeof row.dims, "%s", dims);
    row.distribution = 1 + (int)distribution;
    row.shape = shape;
    return row;
}

/* Records synthetic gradients of these layers. */
static void record(egc_synthetic_row *rows, size_t n, uint64_t seed)
{
    const egc_workload_type *type;
    const egc_workload_request request = {.workers = WORKERS, .steps = STEPS, .seed = seed};
    egc_workload *workload;
    egc_trace_writer *writer;
    egc_error err = {0};
    egc_synthetic_params params;
    double loss;
    egc_param_init(egc_synthetic_layers_params, &params);
    params.layers = (egc_param_list){rows, n};
    assert_ok(egc_workload_find("synthetic", &type, &err), err);
    assert_ok(egc_workload_new(type, &params, &request, &workload, &err), err);
    assert_ok(egc_trace_writer_new(path(), "made", workload->layers, n, WORKERS, &toy_note, &writer,
                                   &err),
              err);
    float *gradient = calloc(workload->n_params, sizeof *gradient);
    for (uint64_t step = 0; step < STEPS; step++)
        for (size_t worker = 0; worker < WORKERS; worker++) {
            assert_ok(type->gradient(workload, step, worker, NULL, gradient, &loss, &err), err);
            assert_ok(egc_trace_writer_append(writer, step, worker, gradient, 0, &err), err);
        }
    free(gradient);
    assert_ok(egc_trace_writer_close(writer, &err), err);
    egc_workload_free(workload);
}

static void fit(egc_trace_fit *out)
{
    egc_error err = {0};
    assert_ok(egc_trace_fit_init(out, path(), &err), err);
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* One layer of each distribution, 0.003 times the unit. */
static size_t one_of_each(egc_synthetic_row rows[EGC_N_DISTRIBUTIONS])
{
    static const double shapes[EGC_N_DISTRIBUTIONS] = {NAN, NAN, 0.6, 3, 0.75, 0.3, 6};
    for (int d = 0; d < EGC_N_DISTRIBUTIONS; d++) {
        rows[d] = row_of(egc_law_names[d], "200x100", (egc_distribution)d, shapes[d]);
        rows[d].scale = 0.003;
    }
    rows[EGC_MIXTURE].mix = 0.2;
    return EGC_N_DISTRIBUTIONS;
}

/* 65536 values: the distance exceeds 1.63 / 256 once in a hundred, if they were not fitted to. */
static void trace_fit__known_parameters_are_recovered(void **state)
{
    (void)state;
    egc_synthetic_row rows[EGC_N_DISTRIBUTIONS];
    egc_trace_fit got;
    record(rows, one_of_each(rows), 5);
    fit(&got);
    assert_string_equal(got.model, "made");
    assert_int_equal(got.n_sampled, 16);
    for (int d = 0; d < EGC_N_DISTRIBUTIONS; d++) {
        const egc_law_fit *own = &got.fits[d].fits[d];
        assert_int_equal(got.fits[d].n_values, 65536);
        assert_close(own->law.scale, 0.003, 0.04);
        if (!isnan(rows[d].shape))
            assert_close(own->law.shape, rows[d].shape, 0.06);
        if (d == EGC_MIXTURE)
            assert_close(own->law.mix, 0.2, 0.06);
        assert_true(own->distance < 1.63 / 256 && fabs(own->tail) < 0.1);
        assert_close(got.fits[d].decay, 1, 0.02);
        assert_true(got.fits[d].worker_correlation == 0 && got.fits[d].time_correlation == 0);
    }
    egc_trace_fit_fini(&got);
}

/* Laplace is generalized-gaussian and weibull with b = 1 and generalized-pareto with b = 0,
 * gaussian is student-t with many degrees: those fit as well as it does itself. */
static void trace_fit__wrong_distributions_are_told(void **state)
{
    (void)state;
    egc_synthetic_row rows[EGC_N_DISTRIBUTIONS];
    egc_trace_fit got;
    record(rows, one_of_each(rows), 6);
    fit(&got);
    assert_close(got.fits[EGC_LAPLACE].fits[EGC_GENERALIZED_GAUSSIAN].law.shape, 1, 0.03);
    assert_close(got.fits[EGC_LAPLACE].fits[EGC_WEIBULL].law.shape, 1, 0.02);
    assert_true(fabs(got.fits[EGC_LAPLACE].fits[EGC_GENERALIZED_PARETO].law.shape) < 0.02);
    assert_true(got.fits[EGC_GAUSSIAN].fits[EGC_STUDENT_T].law.shape > 100);
    assert_true(got.fits[EGC_GAUSSIAN].fits[EGC_LAPLACE].distance > 0.05);
    assert_true(got.fits[EGC_LAPLACE].fits[EGC_GAUSSIAN].distance > 0.05);
    for (int d = EGC_GENERALIZED_GAUSSIAN; d < EGC_N_DISTRIBUTIONS; d++) {
        assert_true(got.fits[d].fits[EGC_GAUSSIAN].distance > 0.05);
        assert_true(got.fits[d].fits[EGC_GAUSSIAN].tail < -0.1);
        assert_int_equal(egc_trace_fit_best(&got.fits[d], false)->law.distribution, d);
    }
    egc_trace_fit_fini(&got);
}

static void trace_fit__zeros_decay_and_correlations_are_recovered(void **state)
{
    (void)state;
    egc_synthetic_row rows[] = {row_of("a", "30000", EGC_LAPLACE, NAN),
                                row_of("b", "30000", EGC_WEIBULL, 0.6)};
    rows[0].zeros = 0.4;
    rows[0].decay = 0.1;
    rows[0].worker_correlation = 0.5;
    rows[1].decay = 3;
    rows[1].time_correlation = 0.8;
    egc_trace_fit got;
    record(rows, 2, 1);
    fit(&got);
    assert_close(got.fits[0].zeros, 0.4, 0.01);
    assert_close(got.fits[0].decay, 0.1, 0.02);
    assert_close(got.fits[0].fits[EGC_LAPLACE].law.scale, 0.001, 0.03);
    assert_close(got.fits[0].worker_correlation, 0.5, 0.05);
    assert_true(got.fits[0].time_correlation == 0);
    assert_true(got.fits[1].zeros == 0 && got.fits[1].worker_correlation == 0);
    assert_close(got.fits[1].decay, 3, 0.02);
    assert_close(got.fits[1].time_correlation, 0.8, 0.02);
    assert_close(got.fits[1].fits[EGC_WEIBULL].law.shape, 0.6, 0.03);
    egc_trace_fit_fini(&got);
}

/* ---- round trip ----------------------------------------------------------------------------- */

static void trace_fit__a_fit_of_its_synthetic_gradients_is_the_same(void **state)
{
    (void)state;
    egc_synthetic_row rows[EGC_N_DISTRIBUTIONS], again[EGC_N_DISTRIBUTIONS];
    egc_trace_fit first, second;
    one_of_each(rows);
    for (int d = 0; d < EGC_N_DISTRIBUTIONS; d++) {
        rows[d].zeros = 0.1;
        rows[d].worker_correlation = 0.3;
        rows[d].decay = 0.5;
    }
    record(rows, EGC_N_DISTRIBUTIONS, 7);
    fit(&first);
    for (int d = 0; d < EGC_N_DISTRIBUTIONS; d++) {
        const egc_law *law = &first.fits[d].fits[d].law;
        again[d] = row_of(first.layers[d].name, "200x100", law->distribution, law->shape);
        again[d].scale = law->scale;
        again[d].mix = law->mix;
        again[d].zeros = law->zeros;
        again[d].decay = first.fits[d].decay;
        again[d].worker_correlation = first.fits[d].worker_correlation;
        again[d].time_correlation = first.fits[d].time_correlation;
    }
    record(again, EGC_N_DISTRIBUTIONS, 8);
    fit(&second);
    for (int d = 0; d < EGC_N_DISTRIBUTIONS; d++) {
        const egc_layer_fit *a = &first.fits[d], *b = &second.fits[d];
        assert_close(b->fits[d].law.scale, a->fits[d].law.scale, 0.05);
        if (!isnan(a->fits[d].law.shape))
            assert_close(b->fits[d].law.shape, a->fits[d].law.shape, 0.06);
        assert_close(b->zeros, a->zeros, 0.03);
        assert_close(b->decay, a->decay, 0.03);
        assert_close(b->worker_correlation, a->worker_correlation, 0.1);
        assert_true(b->fits[d].distance < 1.63 / 240);
    }
    egc_trace_fit_fini(&first);
    egc_trace_fit_fini(&second);
}

/* ---- odd layers ----------------------------------------------------------------------------- */

/* Nothing but zeros, nothing but NaN, one value, values all equal, subnormal and huge ones. */
static void trace_fit__odd_layers_are_survived(void **state)
{
    (void)state;
    enum { N = 64, N_LAYERS = 6 };
    egc_layer layers[N_LAYERS] = {{.name = "zeros"}, {.name = "nan"},  {.name = "one"},
                                  {.name = "equal"}, {.name = "tiny"}, {.name = "huge"}};
    float gradient[N * N_LAYERS] = {0};
    size_t at = 0;
    for (int i = 0; i < N_LAYERS; i++) {
        layers[i].shape[0] = layers[i].count = i == 2 ? 1 : N;
        for (size_t j = 0; j < layers[i].count; j++) {
            float sign = j % 2 ? -1 : 1, x = (float)(j + 1);
            const float values[] = {
                0, j % 3 ? NAN : INFINITY, 5, sign * 0.25f, sign * x * 1e-42f, sign * x * 1e36f};
            gradient[at++] = values[i];
        }
    }
    egc_trace_writer *writer;
    egc_error err = {0};
    egc_trace_fit got;
    assert_ok(egc_trace_writer_new(path(), "odd", layers, N_LAYERS, 1, &toy_note, &writer, &err),
              err);
    assert_ok(egc_trace_writer_append(writer, 0, 0, gradient, 0, &err), err);
    assert_ok(egc_trace_writer_close(writer, &err), err);
    fit(&got);
    assert_true(got.fits[0].n_values == 0 && got.fits[0].zeros == 1);
    assert_true(got.fits[1].n_values == 0 && got.fits[1].n_nonfinite == N && !got.fits[1].zeros);
    assert_true(got.fits[2].n_values == 1 && got.fits[3].n_values == N);
    for (int i = 2; i < N_LAYERS; i++)
        for (int d = 0; d < EGC_N_DISTRIBUTIONS; d++) {
            const egc_law_fit *law = &got.fits[i].fits[d];
            assert_true(isfinite(law->law.scale) && law->law.scale > 0);
            assert_true(law->distance > 0 && law->distance <= 1 && isnan(law->tail));
            assert_true(i < 4 || law->distance < 0.3);
            assert_ok(egc_law_check(&law->law, &err), err);
        }
    assert_close(got.fits[4].fits[EGC_LAPLACE].law.scale, 32.5e-42, 0.01);
    assert_close(got.fits[5].fits[EGC_LAPLACE].law.scale, 32.5e36, 0.01);
    egc_trace_fit_fini(&got);
}

/* ---- resources ------------------------------------------------------------------------------ */

/* 36 gradients of 80 kB are 2.9 MB; two gradients, 256 kB a layer and the rest are less. */
static void trace_fit__memory_does_not_grow_with_the_trace(void **state)
{
    (void)state;
    egc_synthetic_row row = row_of("a", "20000", EGC_LAPLACE, NAN);
    egc_trace_fit got;
    record(&row, 1, 3);
    egc_mem_fail_beyond(1300000);
    fit(&got);
    egc_mem_fail_beyond(SIZE_MAX);
    egc_trace_fit_fini(&got);
}

static void trace_fit__every_allocation_may_fail(void **state)
{
    (void)state;
    egc_synthetic_row row = row_of("a", "20", EGC_LAPLACE, NAN);
    egc_trace_fit got;
    egc_error err = {0};
    egc_status status = EGC_ERROR_MEMORY;
    long countdown = 0;
    record(&row, 1, 3);
    for (; status; countdown++) {
        egc_mem_fail_after(countdown);
        status = egc_trace_fit_init(&got, path(), &err);
        egc_mem_fail_after(-1);
        assert_true(!status || status == EGC_ERROR_MEMORY);
    }
    egc_trace_fit_fini(&got);
    assert_true(countdown > 8);
}

static void trace_fit__says_what_is_no_trace(void **state)
{
    (void)state;
    egc_trace_fit got;
    egc_error err;
    assert_fails(egc_trace_fit_init(&got, "/nowhere/x.h5", &err), err, EGC_ERROR_IO,
                 "/nowhere/x.h5: cannot open: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_fit__known_parameters_are_recovered),
        cmocka_unit_test(trace_fit__wrong_distributions_are_told),
        cmocka_unit_test(trace_fit__zeros_decay_and_correlations_are_recovered),
        cmocka_unit_test(trace_fit__a_fit_of_its_synthetic_gradients_is_the_same),
        cmocka_unit_test(trace_fit__odd_layers_are_survived),
        cmocka_unit_test(trace_fit__memory_does_not_grow_with_the_trace),
        cmocka_unit_test(trace_fit__every_allocation_may_fail),
        cmocka_unit_test(trace_fit__says_what_is_no_trace),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
