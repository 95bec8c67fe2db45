/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The k-th allocation fails, for every k: each call of the public interface returns MEMORY, leaves
 * nothing behind, and works when it is repeated. */
#include "base/mem.h"
#include "compressors/egc.h"
#include "support/test.h"

enum { N = 60 };

static egc_status play(egc_error *err)
{
    static const egc_model_layer layers[] = {{NULL, 40, 0, 0}, {"b", 20, 4, 1}};
    float g[N] = {1, 2, 3}, average[N];
    egc_setup *setup = NULL;
    egc_worker *worker = NULL, *peer = NULL;
    egc_message m;
    egc_method_parameter parameter;
    egc_status status = egc_setup_new("egc", "nonfinite=zero", &setup, err);
    if (!status)
        status = egc_setup_parameter(setup, 0, &parameter, err);
    if (!status)
        status = egc_setup_layers(setup, layers, 2, err);
    if (!status)
        status = egc_worker_new(setup, 0, NULL, &worker, err);
    if (!status)
        status = egc_worker_new(setup, 0, worker, &peer, err);
    if (!status)
        status = egc_step_begin(worker, 0, NAN, err);
    g[3] = NAN;
    if (!status)
        status = egc_step_gradient(worker, 0, g, err);
    if (!status)
        status = egc_step_message(worker, 0, 0, &m, err);
    if (!status)
        status = egc_step_absorb(worker, 0, 0, &m, 1, average, err);
    egc_worker_free(worker);
    egc_worker_free(peer);
    egc_setup_free(setup);
    return status;
}

static egc_status play_vector(egc_error *err)
{
    float g[N] = {1, 2, 3}, average[N];
    egc_vector *v = NULL;
    egc_message m;
    egc_status status = egc_vector_new("dgc", "ratio=0.1", N, 0, 1, &v, err);
    if (!status)
        status = egc_vector_encode(v, g, &m, err);
    if (!status)
        status = egc_vector_average(v, &m, 1, average, err);
    egc_vector_free(v);
    return status;
}

static void run(egc_status (*calls)(egc_error *))
{
    long k = 0;
    for (;; k++) {
        egc_error err = {0};
        egc_mem_fail_after(k);
        egc_status status = calls(&err);
        if (egc_mem_fail_after(-1) >= 0) {
            assert_ok(status, err);
            break;
        }
        assert_int_equal(status, EGC_ERROR_MEMORY);
        assert_int_equal(err.status, EGC_ERROR_MEMORY);
    }
    assert_true(k > 10);
}

static void nomem__worker(void **state)
{
    (void)state;
    run(play);
}

static void nomem__vector(void **state)
{
    (void)state;
    run(play_vector);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nomem__worker),
                                       cmocka_unit_test(nomem__vector)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
