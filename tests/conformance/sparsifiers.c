/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every sparsifier: what its descriptor promises, measured. */
#include "support/core.h"
#include "support/inputs.h"
#include "support/test.h"

enum { MAX_N = 1023 };

typedef struct selected {
    uint32_t index[MAX_N];
    float value[MAX_N]; /* what OWN_VALUES types send; of others what x holds there */
    size_t count;
} selected;

static void run_select(const egc_method *method, const float *x, size_t n, uint64_t step,
                       selected *out)
{
    const egc_compressor_type *type = method->compressor;
    egc_arena scratch = {0};
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64);
    gsl_rng *shared_rng = gsl_rng_alloc(egc_rng_splitmix64);
    gsl_rng_set(rng, egc_rng_derive_seed(7, step, 0));
    gsl_rng_set(shared_rng, egc_rng_derive_seed(8, step, 0));
    const egc_unit unit = {.name = "x", .count = n};
    egc_context context = {.unit = &unit,
                           .step = step,
                           .n_workers = 1,
                           .shard_count = n,
                           .density = egc_method_density(method, step),
                           .max_abs = egc_kernels_get()->max_abs(x, n),
                           .scale = 1,
                           .rng = rng,
                           .shared_rng = shared_rng,
                           .scratch = &scratch};
    bool own_values = type->traits & EGC_TRAIT_OWN_VALUES, shared = type->traits & EGC_TRAIT_SHARED;
    void *state = calloc(1, type->state_size ? type->state_size(method->params, &unit) : 1);
    uint32_t *index = guarded(n * sizeof *index);
    float *value = guarded(n * sizeof *value);
    float *input = guarded(n * sizeof *input);
    memcpy(input, x, n * sizeof *input);
    egc_selection selection = {.index = index, .value = own_values ? value : NULL};
    egc_error err = {0};
    assert_ok(
        type->select(method->params, state, &context, shared ? NULL : input, n, &selection, &err),
        err);
    out->count = selection.count;
    assert_true(selection.count <= n);
    memcpy(out->index, index, selection.count * sizeof *index);
    for (size_t i = 0; i < selection.count; i++)
        out->value[i] = own_values ? value[i] : x[index[i]];
    free_guarded(input, n * sizeof *input);
    free_guarded(value, n * sizeof *value);
    free_guarded(index, n * sizeof *index);
    free(state);
    gsl_rng_free(rng);
    gsl_rng_free(shared_rng);
    egc_arena_fini(&scratch);
}

/* Calls check for every sparsifier, dimension and family; those that agree in rounds are played
 * in conformance/methods.c. */
static void for_all_selections(void (*check)(const egc_method *, const float *, size_t))
{
    static float x[MAX_N];
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++) {
        egc_method method;
        egc_error err = {0};
        assert_ok(egc_method_init(&method, (*type)->name, &err), err);
        bool agrees = egc_compressor_rounds(*type, method.params);
        for (size_t d = 0; (*type)->select && !agrees && d < N_TEST_DIMS; d++)
            for (int family = 0; family < N_FAMILIES; family++) {
                fill_input(x, test_dims[d], family, 11);
                check(&method, x, test_dims[d]);
            }
    }
}

static void check_order(const egc_method *method, const float *x, size_t n)
{
    selected s;
    run_select(method, x, n, 0, &s);
    for (size_t i = 0; i < s.count; i++) {
        assert_true(s.index[i] < n && (i == 0 || s.index[i] > s.index[i - 1]));
        assert_true(isfinite(s.value[i]));
        assert_true(x[s.index[i]] != 0 || method->compressor->traits & EGC_TRAIT_SHARED);
    }
}

static void check_same_seed(const egc_method *method, const float *x, size_t n)
{
    selected a, b;
    run_select(method, x, n, 5, &a);
    run_select(method, x, n, 5, &b);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.index, b.index, a.count * sizeof *a.index);
    assert_memory_equal(a.value, b.value, a.count * sizeof *a.value);
}

static void check_contraction(const egc_method *method, const float *x, size_t n)
{
    const egc_compressor_type *type = method->compressor;
    if (!(type->traits & EGC_TRAIT_CONTRACTION))
        return;
    selected s;
    run_select(method, x, n, 0, &s);
    double all = egc_kernels_get()->norm2(x, n), kept = 0;
    for (size_t i = 0; i < s.count; i++)
        kept += (double)x[s.index[i]] * (double)x[s.index[i]];
    double delta = type->contraction(method->params, n);
    assert_true(delta > 0 && delta <= 1);
    if (!(all - kept <= (1 - delta) * all * (1 + 1e-9) + 1e-300))
        fail_msg("%s, n = %zu: error %g of %g, delta %g", type->name, n, all - kept, all, delta);
}

static void check_scale_free(const egc_method *method, const float *x, size_t n)
{
    if (!(method->compressor->traits & EGC_TRAIT_SCALE_FREE))
        return;
    float scaled[MAX_N];
    for (size_t i = 0; i < n; i++)
        scaled[i] = 1024 * x[i]; /* a power of two: no rounding, subnormals aside */
    selected a, b;
    run_select(method, x, n, 0, &a);
    run_select(method, scaled, n, 0, &b);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.index, b.index, a.count * sizeof *a.index);
}

static void sparsifiers__selections_are_ascending_and_nonzero(void **state)
{
    (void)state;
    for_all_selections(check_order);
}

static void sparsifiers__same_seed_same_selection(void **state)
{
    (void)state;
    for_all_selections(check_same_seed);
}

static void sparsifiers__contraction_holds(void **state)
{
    (void)state;
    for_all_selections(check_contraction);
}

static void sparsifiers__scale_does_not_matter(void **state)
{
    (void)state;
    for_all_selections(check_scale_free);
}

/* Ties: the larger magnitude first, then the lower index (top-k of TIES inputs by brute force). */
static void sparsifiers__topk_breaks_ties_by_index(void **state)
{
    (void)state;
    float x[MAX_N];
    egc_method method;
    egc_error err = {0};
    assert_ok(egc_method_init(&method, "topk", &err), err);
    for (double ratio = 0.001; ratio <= 1; ratio *= 3.7) {
        egc_scalar scalar = {.kind = EGC_SCALAR_NUMBER, .number = ratio};
        assert_ok(egc_method_set(&method, "ratio", &scalar, &err), err);
        for (int family = 0; family < N_FAMILIES; family++) {
            fill_input(x, MAX_N, family, 17);
            selected s;
            run_select(&method, x, MAX_N, 0, &s);
            size_t k = (size_t)fmax(1, floor(ratio * MAX_N)), next = 0;
            for (size_t i = 0; i < MAX_N; i++) {
                size_t before = 0; /* how many come before i in the order */
                for (size_t j = 0; j < MAX_N; j++)
                    before += fabsf(x[j]) > fabsf(x[i]) || (fabsf(x[j]) == fabsf(x[i]) && j < i);
                bool in = before < k && x[i] != 0;
                assert_int_equal(in, next < s.count && s.index[next] == i);
                next += in;
            }
            assert_int_equal(next, s.count);
        }
    }
}

/* Strictly above the magnitude, whatever the sign; tau = 0 sends all that is not zero. */
static void sparsifiers__threshold_by_definition(void **state)
{
    (void)state;
    float x[MAX_N];
    egc_method method;
    egc_error err = {0};
    const double taus[] = {0, 1e-3, 0.5, 1, 1e9};
    for (size_t t = 0; t < sizeof taus / sizeof *taus; t++)
        for (int family = 0; family < N_FAMILIES; family++) {
            assert_ok(egc_method_init(&method, "threshold", &err), err);
            egc_scalar scalar = {.kind = EGC_SCALAR_NUMBER, .number = taus[t]};
            assert_ok(egc_method_set(&method, "tau", &scalar, &err), err);
            fill_input(x, MAX_N, family, 19);
            selected s;
            run_select(&method, x, MAX_N, 0, &s);
            size_t want = 0;
            for (size_t i = 0; i < MAX_N; i++)
                want += fabs((double)x[i]) > taus[t];
            assert_int_equal(s.count, want);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparsifiers__selections_are_ascending_and_nonzero),
        cmocka_unit_test(sparsifiers__same_seed_same_selection),
        cmocka_unit_test(sparsifiers__contraction_holds),
        cmocka_unit_test(sparsifiers__scale_does_not_matter),
        cmocka_unit_test(sparsifiers__topk_breaks_ties_by_index),
        cmocka_unit_test(sparsifiers__threshold_by_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
