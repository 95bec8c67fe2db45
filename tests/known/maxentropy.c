/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The staged threshold against egc_vectors.csv, which an independent implementation of the rule in
 * double precision made. The inputs are generated as the vectors' description says: from
 * splitmix64(seed), u = ((x1 >> 11) + 0.5) 2^-53, sign from the top bit of x2, value = float(1e-3
 * sign f(u)). Counts must be equal; thresholds agree to 1e-6, checked through the set selected:
 * no element below threshold (1 - 1e-6) is in it, none above threshold (1 + 1e-6) is missing. */
#include "support/test.h"

#include <stdlib.h>

#include "base/rng.h"
#include "compressors/plugin.h"
#include "kernels/kernels.h"

typedef struct vector {
    unsigned long long seed;
    size_t n;
    char family[16];
    int stages;
    double threshold;
    size_t count;
} vector;

static double magnitude(const char *family, double u, size_t i, size_t n)
{
    if (strcmp(family, "laplace") == 0)
        return -log(u);
    if (strcmp(family, "weibull") == 0)
        return log(u) * log(u);
    if (strcmp(family, "uniform") == 0)
        return u;
    if (strcmp(family, "pareto") == 0)
        return pow(u, -0.5) - 1;
    if (strcmp(family, "steps") == 0)
        return 1 + floor(4 * u);
    if (strcmp(family, "spike") == 0)
        return i == n / 2;
    if (strcmp(family, "const") == 0)
        return 0.25;
    fail_msg("unknown family %s", family);
    return 0;
}

static float *make_input(const vector *v)
{
    float *x = malloc(v->n * sizeof *x);
    uint64_t state = v->seed;
    for (size_t i = 0; i < v->n; i++) {
        double u = ((double)(egc_rng_next(&state) >> 11) + 0.5) * 0x1p-53;
        double sign = egc_rng_next(&state) >> 63 ? 1 : -1;
        x[i] = (float)(1e-3 * sign * magnitude(v->family, u, i, v->n));
    }
    return x;
}

/* So many stages of 256 bins, as the vectors have them. */
static void set_stages(const egc_compressor_type *type, int n, char *params)
{
    egc_error err = {0};
    egc_scalar stages = {.kind = EGC_SCALAR_NUMBER, .number = n},
               bins = {.kind = EGC_SCALAR_NUMBER, .number = 256};
    egc_param_init(type->params, params);
    assert_ok(egc_param_set(egc_param_find(type->params, "stages"), params, &stages, &err), err);
    assert_ok(egc_param_set(egc_param_find(type->params, "bins"), params, &bins, &err), err);
}

static void check_vector(const egc_compressor_type *type, const vector *v)
{
    float *x = make_input(v);
    uint32_t *index = malloc(v->n * sizeof *index);
    char params[EGC_TEXT_LENGTH];
    set_stages(type, v->stages, params);
    egc_error err = {0};

    egc_arena scratch = {0};
    egc_context context = {.scratch = &scratch, .max_abs = egc_kernels_get()->max_abs(x, v->n)};
    egc_selection selection = {.index = index};
    assert_ok(type->select(params, NULL, &context, x, v->n, &selection, &err), err);
    if (selection.count != v->count)
        fail_msg("%s seed %llu stages %d: %zu selected, want %zu", v->family, v->seed, v->stages,
                 selection.count, v->count);
    size_t next = 0;
    for (size_t i = 0; i < v->n; i++) {
        int selected = next < selection.count && selection.index[next] == i;
        next += (size_t)selected;
        if (selected)
            assert_true(fabs((double)x[i]) >= v->threshold * (1 - 1e-6));
        else
            assert_true(x[i] == 0 || fabs((double)x[i]) < v->threshold * (1 + 1e-6));
    }
    egc_arena_fini(&scratch);
    free(index);
    free(x);
}

static void maxentropy__every_vector_is_met(void **state)
{
    (void)state;
    const egc_compressor_type *type;
    egc_error err = {0};
    assert_ok(egc_compressor_find("maxentropy", &type, &err), err);
    FILE *file = fopen(EGC_VECTORS, "r");
    assert_non_null(file);
    char header[256];
    assert_non_null(fgets(header, sizeof header, file));
    vector v;
    int rows = 0;
    while (fscanf(file, "%llu,%zu,%15[a-z],%d,%lf,%zu\n", &v.seed, &v.n, v.family, &v.stages,
                  &v.threshold, &v.count) == 6) {
        check_vector(type, &v);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 24);
}

/* Of k elements that each have a bin of their own, m below the split give phi = ln m + ln(k - m) by
 * hand: for odd k the splits with (k - 1)/2 and (k + 1)/2 are equal, and the lower one leaves (k +
 * 1)/2. Rounding must not choose between them. */
static void maxentropy__the_lowest_of_equal_splits_is_taken(void **state)
{
    (void)state;
    enum { MOST = 99 };
    const egc_compressor_type *type;
    egc_error err = {0};
    assert_ok(egc_compressor_find("maxentropy", &type, &err), err);
    char params[EGC_TEXT_LENGTH];
    set_stages(type, 1, params);
    for (size_t k = 9; k <= MOST; k += 2) {
        float x[MOST];
        uint32_t index[MOST];
        for (size_t i = 0; i < k; i++)
            x[i] = (float)(i + 1);
        egc_arena scratch = {0};
        egc_context context = {.scratch = &scratch, .max_abs = (float)k};
        egc_selection selection = {.index = index};
        assert_ok(type->select(params, NULL, &context, x, k, &selection, &err), err);
        if (selection.count != (k + 1) / 2)
            fail_msg("%zu of %zu selected", selection.count, k);
        egc_arena_fini(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maxentropy__every_vector_is_met),
        cmocka_unit_test(maxentropy__the_lowest_of_equal_splits_is_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
