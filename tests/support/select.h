/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of a sparsifier's select, and the inputs of its tests. */
#ifndef EGC_TEST_SELECT_H
#define EGC_TEST_SELECT_H

#include <stdlib.h>

#include "support/inputs.h"
#include "support/method.h"

typedef struct call {
    uint64_t step;
    uint64_t seed;        /* of the worker's generator */
    uint64_t shared_seed; /* of the generator all workers share */
    const float *gradient;
    float scale;
    const size_t *layers;
    size_t n_layers;
    void *state; /* NULL: a new one */
} call;

static inline void *new_state(const egc_method *method, size_t n)
{
    egc_unit unit = {.name = "x", .count = n};
    const egc_compressor_type *type = method->compressor;
    return calloc(1, type->state_size ? type->state_size(method->params, &unit) : 1);
}

/* The arrays of the result are the caller's, to be given to release. */
static inline egc_selection run(const egc_method *method, call how, const float *x, size_t n)
{
    const egc_compressor_type *type = method->compressor;
    egc_arena scratch = {0};
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64);
    gsl_rng *shared_rng = gsl_rng_alloc(egc_rng_splitmix64);
    gsl_rng_set(rng, egc_rng_derive_seed(how.seed, 1, 1));
    gsl_rng_set(shared_rng, egc_rng_derive_seed(how.shared_seed, 2, 2));
    egc_unit unit = {.name = "x", .count = n, .layers = how.layers, .n_layers = how.n_layers};
    egc_context context = {.unit = &unit,
                           .step = how.step,
                           .n_workers = 1,
                           .shard_count = n,
                           .density = egc_method_density(method, how.step),
                           .max_abs = x ? egc_kernels_get()->max_abs(x, n) : 0,
                           .gradient = how.gradient,
                           .scale = how.scale,
                           .rng = rng,
                           .shared_rng = shared_rng,
                           .scratch = &scratch};
    egc_selection out = {.index = malloc(n * sizeof(uint32_t)), .value = calloc(n, sizeof(float))};
    void *state = how.state ? how.state : new_state(method, n);
    egc_error err = {0};
    assert_ok(type->select(method->params, state, &context, x, n, &out, &err), err);
    assert_true(out.count <= n);
    if (!how.state)
        free(state);
    gsl_rng_free(rng);
    gsl_rng_free(shared_rng);
    egc_arena_fini(&scratch);
    return out;
}

static inline void release(egc_selection *selection)
{
    free(selection->index);
    free(selection->value);
}

static inline size_t count_of(const char *name, const char *settings, const float *x, size_t n)
{
    egc_method method = method_of(name, settings);
    egc_selection s = run(&method, (call){0}, x, n);
    release(&s);
    return s.count;
}

static inline void check_chosen(const egc_selection *s, const uint32_t *index, size_t count,
                                const char *what)
{
    if (s->count != count)
        fail_msg("%s: %zu chosen, want %zu", what, s->count, count);
    for (size_t i = 0; i < count; i++)
        if (s->index[i] != index[i])
            fail_msg("%s: %u is at place %zu, want %u", what, s->index[i], i, index[i]);
}

/* The named type, so set, chooses exactly these indices of x. */
#define assert_chooses(name, settings, x, ...)                                                     \
    do {                                                                                           \
        const uint32_t want_[] = {__VA_ARGS__};                                                    \
        egc_method method_ = method_of(name, settings);                                            \
        egc_selection s_ = run(&method_, (call){0}, x, sizeof(x) / sizeof *(x));                   \
        check_chosen(&s_, want_, sizeof want_ / sizeof *want_, name " " settings);                 \
        release(&s_);                                                                              \
    } while (0)

/* It chooses all n, or nothing. */
static inline void assert_all(const char *name, const char *settings, const float *x, size_t n)
{
    if (count_of(name, settings, x, n) != n)
        fail_msg("%s %s does not choose all %zu", name, settings, n);
}

static inline void assert_none(const char *name, const char *settings, const float *x, size_t n)
{
    if (count_of(name, settings, x, n) != 0)
        fail_msg("%s %s chooses some of %zu", name, settings, n);
}

/* Both choose the same. */
static inline void assert_same(const egc_selection *a, const egc_selection *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->index, b->index, a->count * sizeof *a->index);
}

static inline double uniform(uint64_t *state)
{
    return ((double)(egc_rng_next(state) >> 11) + 0.5) * 0x1p-53;
}

static inline float *gaussian(size_t n, uint64_t seed)
{
    float *x = malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        double u = uniform(&seed), v = uniform(&seed);
        x[i] = (float)(1e-3 * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
    }
    return x;
}

static inline float *laplace(size_t n, uint64_t seed)
{
    float *x = malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        double magnitude = -1e-3 * log(uniform(&seed));
        x[i] = (float)(uniform(&seed) < 0.5 ? -magnitude : magnitude);
    }
    return x;
}

static inline int larger_first(const void *a, const void *b)
{
    float x = fabsf(*(const float *)a), y = fabsf(*(const float *)b);
    return (x < y) - (x > y);
}

/* Whether a selection is the s->count largest elements: no element left out is larger than the
 * smallest chosen. */
static inline bool is_the_largest(const egc_selection *s, const float *x, size_t n)
{
    float *sorted = malloc(n * sizeof *sorted);
    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, larger_first);
    bool largest = true;
    for (size_t i = 0; i < s->count; i++)
        largest = largest && fabsf(x[s->index[i]]) >= fabsf(sorted[s->count - 1]);
    free(sorted);
    return largest;
}

#endif
