/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparsifiers with one message: small cases worked by hand from the definitions in the head of each
 * file, statistics where a rule is random or fitted, and one test for each fault of public code
 * that the definitions rule out (the fault is named at the test). */
#include "support/test.h"

#include <stdlib.h>

#include "compressors/egc.h"
#include "support/inputs.h"

/* ---- calling select ---------------------------------------------------------------------------
 */

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

static egc_method method_of(const char *name, const char *settings)
{
    egc_method method;
    egc_error err = {0};
    char copy[256], *rest = copy, *item;
    assert_ok(egc_method_init(&method, name, &err), err);
    snprintf(copy, sizeof copy, "%s", settings);
    while ((item = strsep(&rest, ";")) && *item) {
        char *value = strchr(item, '='), *end;
        *value++ = '\0';
        double number = strtod(value, &end);
        egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = value};
        if (*end == '\0')
            scalar = (egc_scalar){.kind = EGC_SCALAR_NUMBER, .number = number};
        assert_ok(egc_method_set(&method, item, &scalar, &err), err);
    }
    return method;
}

static void *new_state(const egc_method *method, size_t n)
{
    egc_unit unit = {.name = "x", .count = n};
    const egc_compressor_type *type = method->compressor;
    return calloc(1, type->state_size ? type->state_size(method->params, &unit) : 1);
}

/* The arrays of the result are the caller's, to be given to release. */
static egc_selection run(const egc_method *method, call how, const float *x, size_t n)
{
    const egc_compressor_type *type = method->compressor;
    egc_arena scratch = {0};
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64);
    gsl_rng *shared_rng = gsl_rng_alloc(egc_rng_splitmix64);
    gsl_rng_set(rng, egc_seed_derive(how.seed, 1, 1));
    gsl_rng_set(shared_rng, egc_seed_derive(how.shared_seed, 2, 2));
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

static void release(egc_selection *selection)
{
    free(selection->index);
    free(selection->value);
}

static size_t count_of(const char *name, const char *settings, const float *x, size_t n)
{
    egc_method method = method_of(name, settings);
    egc_selection s = run(&method, (call){0}, x, n);
    release(&s);
    return s.count;
}

static void check_chosen(const egc_selection *s, const uint32_t *index, size_t count,
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
static void assert_all(const char *name, const char *settings, const float *x, size_t n)
{
    if (count_of(name, settings, x, n) != n)
        fail_msg("%s %s does not choose all %zu", name, settings, n);
}

static void assert_none(const char *name, const char *settings, const float *x, size_t n)
{
    if (count_of(name, settings, x, n) != 0)
        fail_msg("%s %s chooses some of %zu", name, settings, n);
}

/* Both choose the same. */
static void assert_same(const egc_selection *a, const egc_selection *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->index, b->index, a->count * sizeof *a->index);
}

/* ---- inputs ------------------------------------------------------------------------------------
 */

static double uniform(uint64_t *state)
{
    return ((double)(egc_splitmix64(state) >> 11) + 0.5) * 0x1p-53;
}

static float *gaussian(size_t n, uint64_t seed)
{
    float *x = malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        double u = uniform(&seed), v = uniform(&seed);
        x[i] = (float)(1e-3 * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
    }
    return x;
}

static float *laplace(size_t n, uint64_t seed)
{
    float *x = malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        double magnitude = -1e-3 * log(uniform(&seed));
        x[i] = (float)(uniform(&seed) < 0.5 ? -magnitude : magnitude);
    }
    return x;
}

/* ---- random-k ---------------------------------------------------------------------------------
 */

/* Exactly k distinct indices below n, for every k of many n. Public code drew with replacement, so
 * that fewer than k were left, and drew an upper bound one past the end. */
static void randomk_draws_k_distinct_indices(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 130; n++)
        for (size_t k = 1; k <= n; k += 1 + n / 17) {
            char settings[64];
            snprintf(settings, sizeof settings, "ratio=%.17g", (double)k / (double)n);
            egc_method method = method_of("randomk", settings);
            egc_selection s = run(&method, (call){.shared_seed = n}, NULL, n);
            assert_int_equal(s.count, k);
            for (size_t i = 0; i < k; i++)
                assert_true(s.index[i] < n && (i == 0 || s.index[i] > s.index[i - 1]));
            release(&s);
        }
}

/* Each index is in a share k/n of the selections, within 5 sigma, each pair of neighbours in k(k-1)
 * / (n(n-1)), and so below and above half of the elements, where those left out are drawn. */
static void randomk_is_uniform(void **state)
{
    (void)state;
    enum { N = 50, DRAWS = 20000 };
    const size_t ks[] = {1, 10, 25, 26, 40};
    for (size_t c = 0; c < sizeof ks / sizeof *ks; c++) {
        char settings[64];
        snprintf(settings, sizeof settings, "ratio=%.17g", (double)ks[c] / N);
        egc_method method = method_of("randomk", settings);
        double in[N] = {0}, pair[N - 1] = {0}, k = (double)ks[c];
        for (uint64_t draw = 0; draw < DRAWS; draw++) {
            egc_selection s = run(&method, (call){.shared_seed = draw}, NULL, N);
            for (size_t i = 0; i < s.count; i++) {
                in[s.index[i]]++;
                if (i && s.index[i] == s.index[i - 1] + 1)
                    pair[s.index[i - 1]]++;
            }
            release(&s);
        }
        double p = k / N, q = k * (k - 1) / (N * (N - 1.0));
        for (size_t i = 0; i < N; i++)
            assert_true(fabs(in[i] - DRAWS * p) <= 5 * sqrt(DRAWS * p * (1 - p)));
        for (size_t i = 0; i + 1 < N; i++)
            assert_true(fabs(pair[i] - DRAWS * q) <= 5 * sqrt(DRAWS * q * (1 - q)) + 1e-9);
    }
}

/* All workers choose the same, whatever their own generators say; other steps choose otherwise. */
static void randomk_goes_by_the_shared_generator_alone(void **state)
{
    (void)state;
    egc_method method = method_of("randomk", "ratio=0.1");
    egc_selection a = run(&method, (call){.seed = 1, .shared_seed = 5}, NULL, 1000);
    egc_selection b = run(&method, (call){.seed = 2, .shared_seed = 5}, NULL, 1000);
    egc_selection c = run(&method, (call){.seed = 1, .shared_seed = 6}, NULL, 1000);
    assert_same(&a, &b);
    assert_memory_not_equal(a.index, c.index, a.count * sizeof *a.index);
    release(&a), release(&b), release(&c);
}

/* scale = true multiplies by n/k, so that the mean over draws is the input, within 5 standard
 * errors (the variance of one element is (n/k - 1) x^2); false by 1. */
static void randomk_scaled_is_unbiased(void **state)
{
    (void)state;
    enum { N = 20, DRAWS = 20000 };
    egc_method plain = method_of("randomk", "ratio=0.25");
    egc_method scaled = method_of("randomk", "ratio=0.25;scale=true");
    egc_context context = {.density = 0.25};
    assert_true(plain.compressor->gain(plain.params, &context, N) == 1);
    double gain = scaled.compressor->gain(scaled.params, &context, N);
    assert_true(gain == 4);
    assert_true(scaled.compressor->gain(scaled.params, &context, 3) == 3); /* k is at least 1 */
    float *x = gaussian(N, 3);
    double sum[N] = {0};
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        egc_selection s = run(&scaled, (call){.shared_seed = draw}, NULL, N);
        for (size_t i = 0; i < s.count; i++)
            sum[s.index[i]] += gain * (double)x[s.index[i]];
        release(&s);
    }
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(sum[i] / DRAWS - (double)x[i]) <=
                    5 * fabs((double)x[i]) * sqrt((gain - 1) / DRAWS));
    free(x);
}

/* ---- fixed thresholds -------------------------------------------------------------------------
 */

/* The magnitude counts. Public code took the minimum of tau and the signed maximum, so that a
 * vector of negative elements was sent whole. */
static void threshold_of_negative_elements(void **state)
{
    (void)state;
    const float x[] = {-0.5f, -2, -0.25f, -1};
    assert_chooses("threshold", "tau=0.75", x, 1, 3);
    assert_chooses("threshold", "tau=1", x, 1); /* strictly above */
    assert_none("threshold", "tau=3", x, 4);
}

static void strom_by_hand(void **state)
{
    (void)state;
    const float x[] = {0.7f, -2, 0.5f, -0.4f};
    assert_chooses("strom", "tau=0.5", x, 0, 1);
    egc_method method = method_of("strom", "tau=0.5");
    egc_selection s = run(&method, (call){0}, x, 4);
    assert_true(s.value[0] == 0.5f && s.value[1] == -0.5f);
    release(&s);
}

/* At most one tau a step, with plain error feedback around: 2.6 is sent as 1, 1 and keeps 0.6, and
 * a gradient of 2 tau a step outgrows what is sent. */
static void strom_sends_one_tau_a_step(void **state)
{
    (void)state;
    egc_method method = method_of("strom", "tau=1");
    float residual[2] = {2.5f, 0};
    for (uint64_t step = 0; step < 4; step++) {
        residual[1] += 2;
        egc_selection s = run(&method, (call){.step = step}, residual, 2);
        for (size_t i = 0; i < s.count; i++)
            residual[s.index[i]] -= s.value[i];
        release(&s);
    }
    assert_true(residual[0] == 0.5f && residual[1] == 4);
}

/* ---- DGC --------------------------------------------------------------------------------------
 */

static int larger_first(const void *a, const void *b)
{
    float x = fabsf(*(const float *)a), y = fabsf(*(const float *)b);
    return (x < y) - (x > y);
}

/* Whether a selection is the s->count largest elements: no element left out is larger than the
 * smallest chosen. */
static bool is_the_largest(const egc_selection *s, const float *x, size_t n)
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

/* With all elements as the sample: the K = ceil(ratio n) largest, ties to the lower index. */
static void dgc_exact(void **state)
{
    (void)state;
    const float x[] = {1, -3, 2, 3, -1, 3};
    assert_chooses("dgc", "ratio=0.3", x, 1, 3); /* n is at most 2/ratio: K = ceil(1.8) */
    assert_chooses("dgc", "ratio=0.5;sample=1", x, 1, 3, 5);
    assert_chooses("dgc", "ratio=0.01", x, 1);
    assert_all("dgc", "ratio=1", x, 6);
    float *g = gaussian(5000, 1);
    assert_int_equal(count_of("dgc", "ratio=0.07;sample=1", g, 5000),
                     350); /* not 351 by rounding */
    free(g);
}

/* n = 11,500 and ratio 0.01 give stride 57 (worked in dgc.c) and a start drawn below it; t is the
 * ceil(201 * 0.01) = 3rd largest of that sample. Three elements of 10 in the sample, and no others
 * that large, are then all that is chosen when no round adjusts t. */
static void dgc_stride_and_start(void **state)
{
    (void)state;
    enum { N = 11500, STRIDE = 57 };
    float *x = gaussian(N, 2);
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64);
    gsl_rng_set(rng, egc_seed_derive(7, 1, 1));
    size_t start = gsl_rng_uniform_int(rng, STRIDE);
    gsl_rng_free(rng);
    for (size_t i = 0; i < 3; i++)
        x[start + STRIDE * (20 + 60 * i)] = i % 2 ? -10 : 10;
    egc_method method = method_of("dgc", "ratio=0.01;rounds=0");
    egc_selection s = run(&method, (call){.seed = 7}, x, N);
    assert_int_equal(s.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(s.index[i], start + STRIDE * (20 + 60 * i));
    release(&s);
    free(x);
}

/* Always the largest, between 0.8 K and K. Public code kept the first K by position of up to 1.3 K:
 * in data that grow with the index those are the smaller ones. */
static void dgc_trims_to_the_largest(void **state)
{
    (void)state;
    enum { N = 100000, K = 1000 };
    float *x = gaussian(N, 4);
    for (size_t i = 0; i < N; i++)
        x[i] *= 1 + (float)i / N;
    const char *settings[] = {"ratio=0.01", "ratio=0.01;resample=false"};
    for (int way = 0; way < 2; way++) {
        egc_method method = method_of("dgc", settings[way]);
        int trimmed = 0;
        for (uint64_t seed = 0; seed < 40; seed++) {
            egc_selection s = run(&method, (call){.seed = seed}, x, N);
            if (!(s.count >= 0.8 * K && s.count <= K))
                fail_msg("%s, seed %d: %zu", settings[way], (int)seed, s.count);
            assert_true(is_the_largest(&s, x, N));
            trimmed += s.count == K;
            release(&s);
        }
        assert_true(trimmed > 5); /* the rule was put to use */
    }
    free(x);
}

static void dgc_keeps_its_band(void **state)
{
    (void)state;
    enum { N = 1000000, K = 1000 };
    float *x = laplace(N, 5);
    egc_method method = method_of("dgc", "");
    for (uint64_t seed = 0; seed < 20; seed++) {
        egc_selection s = run(&method, (call){.seed = seed}, x, N);
        assert_true(s.count >= 0.8 * K && s.count <= K);
        release(&s);
    }
    free(x);
}

/* A sample without anything but zeros has the threshold 0, by which public code selected every
 * element, zeros included, and 1.3 * 0 never recovered. */
static void dgc_threshold_zero(void **state)
{
    (void)state;
    enum { N = 10000, K = 100 };
    float *x = calloc(N, sizeof *x);
    const size_t nonzero[] = {0, 5, 90, 110, 2000};
    for (size_t c = 0; c < 5; c++) {
        for (size_t i = 0; i < nonzero[c]; i++)
            x[4999 * i % N] = (float)(1 + i);
        for (uint64_t seed = 0; seed < 20; seed++) {
            egc_method method =
                method_of("dgc", seed % 2 ? "ratio=0.01" : "ratio=0.01;resample=false");
            egc_selection s = run(&method, (call){.seed = seed}, x, N);
            assert_true(s.count <= K && s.count <= nonzero[c]);
            assert_true(is_the_largest(&s, x, N));
            if (nonzero[c] < 0.8 * K)
                assert_int_equal(s.count, nonzero[c]);
            release(&s);
        }
    }
    free(x);
}

static void dgc_is_the_whole_method(void **state)
{
    (void)state;
    egc_method method = method_of("dgc", "");
    assert_true(egc_method_has_momentum(&method) && method.options.masking);
    assert_true(egc_method_density(&method, 0) == 0.001);
}

/* ---- Gaussian-k -------------------------------------------------------------------------------
 */

static void gaussiank_by_hand(void **state)
{
    (void)state;
    const float x[] = {3, -1, 1, -3};
    assert_chooses("gaussiank", "ratio=0.5", x, 0, 3);
    /* mu = 1.36, sd = 1.91 and t = 3.81 has 2 above it, more than 4/3 of k = 1; 1.5 t has none, and
     * 0.75 t = 2.86 is the last */
    const float rounds[] = {0, 0, 0, 4, 0, 2.9f, 4, 0};
    assert_chooses("gaussiank", "ratio=0.2", rounds, 3, 5, 6);
    const float below[] = {0, 0, 0, 4, 0, 2.7f, 4, 0};
    assert_chooses("gaussiank", "ratio=0.2", below, 3, 6);
}

/* Within [2k/3, 4k/3] on what it was made for. */
static void gaussiank_on_gaussian_data(void **state)
{
    (void)state;
    const double ratios[] = {0.3, 0.01, 0.001};
    for (uint64_t seed = 0; seed < 3; seed++) {
        float *x = gaussian(1000000, 10 + seed);
        for (int r = 0; r < 3; r++) {
            char settings[32];
            snprintf(settings, sizeof settings, "ratio=%g", ratios[r]);
            double k = ratios[r] * 1e6, count = (double)count_of("gaussiank", settings, x, 1000000);
            assert_true(3 * count >= 2 * k && 3 * count <= 4 * k);
        }
        free(x);
    }
}

/* One element has no deviation: in public code its NaN made every comparison false, for ever. Equal
 * magnitudes have none either: all are sent. Heavy tails keep something. -x is treated as x is. */
static void gaussiank_without_deviation(void **state)
{
    (void)state;
    const float one[] = {-2.5f}, equal[] = {7, 7, 7, 7, 7}, zeros[3] = {0};
    assert_all("gaussiank", "", one, 1);
    assert_all("gaussiank", "", equal, 5);
    assert_none("gaussiank", "", zeros, 3);
    float spike[1000] = {0}, x[1000], negative[1000];
    spike[77] = -1e38f;
    assert_chooses("gaussiank", "", spike, 77);
    float *noise = gaussian(1000, 6);
    for (int i = 0; i < 1000; i++) {
        x[i] = 0.5e-3f + noise[i];
        negative[i] = -x[i];
    }
    egc_method method = method_of("gaussiank", "");
    egc_selection a = run(&method, (call){0}, x, 1000), b = run(&method, (call){0}, negative, 1000);
    assert_same(&a, &b);
    release(&a), release(&b);
    free(noise);
}

/* ---- RedSync ----------------------------------------------------------------------------------
 */

static void redsync_by_hand(void **state)
{
    (void)state;
    const float x[] = {1, -8, 6, 1, 1, 1, 7.2f, 1}; /* worked in redsync.c */
    assert_chooses("redsync", "ratio=0.375", x, 1);
    assert_chooses("redsync", "ratio=0.375;search=trimmed", x, 1, 2, 6);
    /* mean 3.55, max 10: t(0.5) = 6.775 has 3 above it, between k = 2 and 4: taken at once */
    const float taken[] = {1, 10, 1, -9, 1, 9.5f, 1, 1, 1, 1};
    assert_chooses("redsync", "ratio=0.2", taken, 1, 3, 5);
}

/* Nothing above the maximum: with a strict comparison equal magnitudes, and so layers of one
 * element, would never be sent. */
static void redsync_equal_magnitudes(void **state)
{
    (void)state;
    const float one[] = {-2.5f}, equal[] = {7, -7, 7, 7, -7}, zeros[3] = {0};
    assert_all("redsync", "", one, 1);
    assert_all("redsync", "", equal, 5);
    assert_none("redsync", "", zeros, 3);
    assert_chooses("redsync", "ratio=0.4;search=trimmed", equal, 0, 1);
    assert_none("redsync", "search=trimmed", zeros, 3);
    assert_none("redsync", "quantize=true", zeros, 3);
    assert_none("redsync", "quantize=true", one, 1); /* step 0 sends the positive ones */
}

/* Trimmed is exact; a public copy leaves the exact step out and sends what passed the threshold. */
static void redsync_trimmed_is_top_k(void **state)
{
    (void)state;
    const double ratios[] = {0.001, 0.1, 0.5, 0.9, 1};
    float x[1023];
    for (int family = 0; family < N_FAMILIES; family++)
        for (int r = 0; r < 5; r++) {
            char settings[64];
            fill_input(x, 1023, family, 31);
            snprintf(settings, sizeof settings, "ratio=%g", ratios[r]);
            egc_method topk = method_of("topk", settings), redsync = method_of("redsync", settings);
            egc_error err = {0};
            egc_scalar trimmed = {.kind = EGC_SCALAR_TEXT, .text = "trimmed"};
            assert_ok(egc_method_set(&redsync, "search", &trimmed, &err), err);
            egc_selection a = run(&topk, (call){0}, x, 1023);
            egc_selection b = run(&redsync, (call){0}, x, 1023);
            assert_same(&a, &b);
            for (size_t i = 0; i < b.count; i++)
                assert_true(b.value[i] == x[b.index[i]]);
            release(&a), release(&b);
        }
}

/* One sign a step, in turn, all as their mean. */
static void redsync_quantised(void **state)
{
    (void)state;
    const float x[] = {5, -8, 3, 1, -4, -6, 0, 2};
    egc_method method = method_of("redsync", "ratio=0.25;search=trimmed;quantize=true");
    egc_selection even = run(&method, (call){.step = 4}, x, 8);
    egc_selection odd = run(&method, (call){.step = 5}, x, 8);
    check_chosen(&even, (const uint32_t[]){0, 2}, 2, "positive");
    check_chosen(&odd, (const uint32_t[]){1, 5}, 2, "negative");
    assert_true(even.value[0] == 4 && even.value[1] == 4 && odd.value[0] == -7 &&
                odd.value[1] == -7);
    release(&even), release(&odd);
}

/* A threshold of 6.775 (as in redsync_by_hand) serves three steps; it is looked for again early
 * when nothing passes it. */
static void redsync_reuses_thresholds(void **state)
{
    (void)state;
    const float x[] = {1, 10, 1, -9, 1, 9.5f, 1, 1, 1, 1}, y[] = {1, 8, 1, -6, 1, 7, 1, 1, 1, 1};
    egc_method method = method_of("redsync", "ratio=0.2;reuse=3");
    void *memory = new_state(&method, 10);
    const struct {
        const float *input;
        size_t count;
    } steps[] = {{x, 3}, {y, 2}, {y, 2}, {y, 3}}; /* y's own t(0.5) = 5.4 has three above it */
    for (uint64_t step = 0; step < 4; step++) {
        egc_selection s =
            run(&method, (call){.step = step, .state = memory}, steps[step].input, 10);
        assert_int_equal(s.count, steps[step].count);
        release(&s);
    }
    float small[10];
    for (int i = 0; i < 10; i++)
        small[i] = x[i] / 100;
    egc_selection s = run(&method, (call){.step = 4, .state = memory}, small, 10);
    assert_int_equal(s.count, 3);
    release(&s);
    free(memory);
}

/* ---- SIDCo ------------------------------------------------------------------------------------
 */

static void sidco_by_hand(void **state)
{
    (void)state;
    const float x[] = {3, -1, 8, 2, -5, 4, 7, -6};
    assert_chooses("sidco", "ratio=0.25;stages=1", x, 2, 6); /* t = 4.5 ln 4 = 6.24 */
    assert_chooses("sidco", "ratio=0.125;stages=1", x, 2);   /* 9.36, above them all: the largest */
    assert_chooses("sidco", "ratio=0.125;stages=2", x, 2);   /* 6.24, then 7 + 0.5 ln 2 = 7.35 */
    assert_chooses("sidco", "ratio=0.22;stages=2", x, 2);    /* 6.24, then 7 + 0.5 ln 1.14 = 7.06 */
    /* Pareto: m = 4.5, s2 = 5.25, A = 10.93, c = 1.4286: t = 6.60 for 1/4, 5.75 for 0.35 */
    assert_chooses("sidco", "ratio=0.25;distribution=gp", x, 2, 6);
    assert_chooses("sidco", "ratio=0.35;distribution=gp", x, 2, 6, 7);
}

/* From the stationary law of each: exponential magnitudes are what all three families contain
 * (Pareto with shape 0, gamma with shape 1), so a first stage alone leaves the share asked for. */
static void sidco_fits_exponential_magnitudes(void **state)
{
    (void)state;
    enum { N = 1000000 };
    float *x = laplace(N, 8);
    const char *fits[] = {"exponential", "gp", "gamma"};
    for (int f = 0; f < 3; f++)
        for (double ratio = 0.25; ratio > 1e-3; ratio /= 6) {
            char settings[96];
            snprintf(settings, sizeof settings, "ratio=%g;stages=1;distribution=%s", ratio,
                     fits[f]);
            assert_close((double)count_of("sidco", settings, x, N), ratio * N, 0.08);
        }
    free(x);
}

static size_t count_after(const egc_method *method, void *memory, const float *x, size_t n,
                          int steps)
{
    size_t count = 0;
    for (int step = 0; step < steps; step++) {
        egc_selection s = run(method, (call){.step = (uint64_t)step, .state = memory}, x, n);
        count = s.count;
        release(&s);
    }
    return count;
}

/* Once its stages have settled. */
static void sidco_settles(void **state)
{
    (void)state;
    enum { N = 300000 };
    float *x = laplace(N, 9), *even = malloc(N * sizeof *even);
    uint64_t seed = 1;
    for (size_t i = 0; i < N; i++)
        even[i] = (float)uniform(&seed);
    const char *fits[] = {"exponential", "gp", "gamma"};
    for (int f = 0; f < 3; f++)
        for (double ratio = 0.1; ratio > 5e-4; ratio /= 10) {
            char settings[96];
            snprintf(settings, sizeof settings, "ratio=%g;distribution=%s", ratio, fits[f]);
            egc_method method = method_of("sidco", settings);
            void *memory = new_state(&method, N);
            assert_close((double)count_after(&method, memory, x, N, 60), ratio * N, 0.2);
            free(memory);
        }
    /* One exponential stage is far above uniform magnitudes; more stages come down to them. */
    egc_method method = method_of("sidco", "ratio=0.01");
    void *memory = new_state(&method, N);
    assert_int_equal(count_after(&method, memory, even, N, 1), 1);
    assert_true(count_after(&method, memory, even, N, 60) > 0.5 * 0.01 * N);
    free(memory);
    free(even);
    free(x);
}

/* Two units, each with stages of its own: the steps of one leave the other's selections alone. In
 * public code all tensors share one stage count. */
static void sidco_units_are_apart(void **state)
{
    (void)state;
    enum { N = 20000 };
    float *x = gaussian(N, 11), *even = malloc(N * sizeof *even);
    uint64_t seed = 2;
    for (size_t i = 0; i < N; i++)
        even[i] = (float)uniform(&seed);
    egc_method method = method_of("sidco", "ratio=0.005");
    void *alone = new_state(&method, N), *a = new_state(&method, N), *b = new_state(&method, N);
    for (int step = 0; step < 40; step++) {
        size_t want = count_after(&method, alone, x, N, 1);
        assert_int_equal(count_after(&method, a, x, N, 1), want);
        count_after(&method, b, even, N, 1);
    }
    free(alone), free(a), free(b);
    free(even), free(x);
}

/* Where the formulas have no answer: no variance, no element above a threshold, no norm. */
static void sidco_degenerate_inputs(void **state)
{
    (void)state;
    const float one[] = {-2.5f}, equal[] = {7, -7, 7, 7, -7}, zeros[4] = {0};
    const float two[] = {3, -3, 0, 0}, uneven[] = {1, -2, 4};
    float spike[1000] = {0};
    spike[77] = -1e38f;
    const char *fits[] = {"exponential", "gp", "gamma"};
    for (int f = 0; f < 3; f++)
        for (int stages = 1; stages <= 4; stages++) {
            char settings[96];
            snprintf(settings, sizeof settings, "ratio=0.01;stages=%d;distribution=%s", stages,
                     fits[f]);
            assert_all("sidco", settings, one, 1);
            assert_all("sidco", settings, equal, 5);
            assert_none("sidco", settings, zeros, 4);
            assert_int_equal(count_of("sidco", settings, two, 4), 2);
            assert_int_equal(count_of("sidco", settings, spike, 1000), 1);
            size_t count = count_of("sidco", settings, uneven, 3);
            assert_true(count >= 1 && count <= 3);
        }
    /* zeros teach the stages nothing: after five of them the sixth step is as the first */
    egc_method method = method_of("sidco", "ratio=0.005");
    float *x = gaussian(5000, 12), *nothing = calloc(5000, sizeof *nothing);
    void *memory = new_state(&method, 5000), *fresh = new_state(&method, 5000);
    count_after(&method, memory, nothing, 5000, 50);
    assert_int_equal(count_after(&method, memory, x, 5000, 1),
                     count_after(&method, fresh, x, 5000, 1));
    free(memory), free(fresh);
    free(x), free(nothing);
}

/* Gamma variates of many shapes, by the cube of Wilson and Hilferty. GSL's inverse of the gamma
 * distribution fails for some, near 28,000 for one, and ends the program. */
static void sidco_gamma_of_any_shape(void **state)
{
    (void)state;
    enum { N = 100000 };
    const double shapes[] = {10, 100, 2500, 9000, 28183, 1e6, 1e9};
    float *noise = gaussian(N, 13), *x = malloc(N * sizeof *x);
    for (size_t c = 0; c < sizeof shapes / sizeof *shapes; c++)
        for (double ratio = 0.1; ratio > 5e-4; ratio /= 10) {
            for (size_t i = 0; i < N; i++)
                x[i] = (float)pow(
                    1 - 1 / (9 * shapes[c]) + 1e3 * (double)noise[i] / (3 * sqrt(shapes[c])), 3);
            char settings[96];
            snprintf(settings, sizeof settings, "ratio=%g;stages=1;distribution=gamma", ratio);
            double count = (double)count_of("sidco", settings, x, N), want = ratio * N;
            if (!(fabs(count - want) <= 5 * sqrt(want) + 0.03 * want))
                fail_msg("shape %g, ratio %g: %g", shapes[c], ratio, count);
        }
    /* over 80 decades the shape is near 0.01 */
    uint64_t seed = 4;
    for (size_t i = 0; i < N; i++)
        x[i] = (float)pow(10, -44 + 80 * uniform(&seed));
    assert_true(count_of("sidco", "ratio=0.01;distribution=gamma", x, N) >= 1);
    assert_true(count_of("sidco", "ratio=0.01;stages=5;distribution=gamma", x, N) >= 1);
    free(noise);
    free(x);
}

/* ---- AdaComp ----------------------------------------------------------------------------------
 */

static void adacomp_by_hand(void **state)
{
    (void)state;
    const float x[] = {4, -3, 1, 0, 2, -2}, g[] = {1, -1.5f, 1, 0, 0, 0.5f},
                twice[] = {0.5f, -0.75f, 0.5f, 0, 0, 0.25f};
    egc_method method = method_of("adacomp", "bin=3");
    egc_selection s = run(&method, (call){.gradient = g, .scale = 1}, x, 6);
    check_chosen(&s, (const uint32_t[]){0, 1, 4}, 3, "adacomp");
    assert_true(s.value[0] == 3 && s.value[1] == -3 && s.value[2] == 3);
    release(&s);
    /* the memory took in twice this gradient: the same again */
    s = run(&method, (call){.gradient = twice, .scale = 2}, x, 6);
    check_chosen(&s, (const uint32_t[]){0, 1, 4}, 3, "adacomp, scaled");
    release(&s);
    /* without a gradient: the largest of each bin, both of them where they are equal */
    s = run(&method, (call){.scale = 1}, x, 6);
    check_chosen(&s, (const uint32_t[]){0, 4, 5}, 3, "adacomp without gradient");
    assert_true(s.value[2] == -3);
    release(&s);
}

/* Zeros are as large as the largest of a bin of zeros, and would all be sent; an element of 0 that
 * its gradient would make the largest has no sign to send. The last bin may be short. */
static void adacomp_bins_of_zeros(void **state)
{
    (void)state;
    const float x[] = {0, 0, 0, 0, 6, -2, 1.5f}, g[] = {0, 1, 0, 9, 0, -4, 0};
    egc_method method = method_of("adacomp", "bin=3");
    egc_selection s = run(&method, (call){.gradient = g, .scale = 1}, x, 7);
    check_chosen(&s, (const uint32_t[]){4, 5, 6}, 3, "adacomp");
    assert_true(s.value[0] == 2.5f && s.value[1] == -2.5f && s.value[2] == 2.5f); /* (0+6+1.5)/3 */
    release(&s);
    const float zeros[10] = {0}, one[] = {-4};
    assert_none("adacomp", "bin=3", zeros, 10);
    assert_all("adacomp", "", one, 1);
}

/* ---- Dryden -----------------------------------------------------------------------------------
 */

static void dryden_by_hand(void **state)
{
    (void)state;
    const float x[] = {4, -1, 2, -3, 1, 0};
    assert_chooses("dryden", "ratio=0.5", x, 0, 3);
    assert_chooses("dryden", "ratio=0.7", x, 0, 2, 3); /* floor(2.1) and floor(1.4) */
    assert_chooses("dryden", "ratio=1", x, 0, 1, 2, 3, 4);
    const float negative[] = {-1, -2, -2, -2}, zeros[4] = {0}, one[] = {-1};
    assert_chooses("dryden", "ratio=0.5", negative, 1, 2);
    assert_none("dryden", "", zeros, 4);
    assert_all("dryden", "", one, 1);
    egc_method method = method_of("dryden", "");
    assert_string_equal(egc_value_codecs()[method.options.value]->name, "sign_mean");
}

/* Either side against a sort. */
static void dryden_sides_are_exact(void **state)
{
    (void)state;
    float x[1023], side[1023];
    egc_method method = method_of("dryden", "ratio=0.1");
    for (int family = 0; family < N_FAMILIES; family++) {
        fill_input(x, 1023, family, 37);
        egc_selection s = run(&method, (call){0}, x, 1023);
        for (int negative = 0; negative < 2; negative++) {
            size_t n = 0, chosen = 0;
            for (int i = 0; i < 1023; i++)
                if (negative ? x[i] < 0 : x[i] > 0)
                    side[n++] = x[i];
            qsort(side, n, sizeof *side, larger_first);
            size_t k = n ? (size_t)fmax(1, floor(0.1 * (double)n)) : 0;
            for (size_t i = 0; i < s.count; i++)
                if (negative ? x[s.index[i]] < 0 : x[s.index[i]] > 0) {
                    chosen++;
                    assert_true(fabsf(x[s.index[i]]) >= fabsf(side[k - 1]));
                }
            assert_int_equal(chosen, k);
        }
        release(&s);
    }
}

/* ---- the other readings of EGC ----------------------------------------------------------------
 */

static float *sort_keys;

static int before(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    float x = fabsf(sort_keys[i]), y = fabsf(sort_keys[j]);
    return x != y ? (x < y) - (x > y) : (i > j) - (i < j);
}

/* By a full sort and the terms as they are written: how many of the largest reach the share. */
static size_t share_by_sorting(float *x, size_t n, double share, uint32_t *order)
{
    double sum = 0, all = 0, reached = 0;
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
        sum += fabs((double)x[i]);
    }
    sort_keys = x;
    qsort(order, n, sizeof *order, before);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n && x[order[i]] != 0; i++) {
            double p = fabs((double)x[order[i]]) / sum, term = -p * log(p);
            if (pass == 0)
                all += term;
            else if (k == 0 || reached < share * all * (1 - 1e-9)) {
                reached += term;
                k++;
            }
        }
    return k;
}

static void share_by_hand(void **state)
{
    (void)state;
    const float equal[] = {2, -2, 2, 2}, one[] = {0, 0, -3, 0}, zeros[4] = {0};
    assert_chooses("maxentropy", "rule=share;share=0.5", equal, 0, 1);
    assert_chooses("maxentropy", "rule=share;share=0.51", equal, 0, 1, 2);
    assert_all("maxentropy", "rule=share;share=1", equal, 4);
    assert_chooses("maxentropy", "rule=share", one, 2); /* no entropy at all */
    assert_none("maxentropy", "rule=share", zeros, 4);
    /* p = 1/2, 1/4, 1/8, 1/8 have the terms 4, 4, 3, 3 in units of ln 2 / 8 */
    const float halves[] = {1, 4, 1, 2};
    assert_chooses("maxentropy", "rule=share;share=0.28", halves, 1);
    assert_chooses("maxentropy", "rule=share;share=0.29", halves, 1, 3);
    assert_chooses("maxentropy", "rule=share;share=0.75", halves, 0, 1, 3);
    assert_chooses("maxentropy", "rule=share;share=0.8", halves, 0, 1, 2, 3);
}

static void share_equals_sorting(void **state)
{
    (void)state;
    float x[1023];
    uint32_t order[1023];
    const double shares[] = {1e-6, 0.1, 0.5, 0.9, 0.999};
    for (size_t d = 0; d < N_TEST_DIMS; d++)
        for (int family = 0; family < N_FAMILIES; family++)
            for (int c = 0; c < 5; c++) {
                size_t n = test_dims[d];
                fill_input(x, n, family, 41);
                char settings[64];
                snprintf(settings, sizeof settings, "rule=share;share=%g", shares[c]);
                egc_method method = method_of("maxentropy", settings);
                egc_selection s = run(&method, (call){0}, x, n);
                size_t k = share_by_sorting(x, n, shares[c], order);
                if (s.count != k)
                    fail_msg("n = %zu, family %d, share %g: %zu, want %zu", n, family, shares[c],
                             s.count, k);
                bool wanted[1023] = {false};
                for (size_t i = 0; i < k; i++)
                    wanted[order[i]] = true;
                for (size_t i = 0; i < k; i++)
                    assert_true(wanted[s.index[i]]);
                release(&s);
            }
}

static void budget_by_hand(void **state)
{
    (void)state;
    const float x[] = {1, -1, 1, 1, 0, 5, 0, 0}, gap[] = {1, -1, 1, 1, 0, 0, 0, 0};
    const size_t layers[] = {4, 4};
    const call two = {.layers = layers, .n_layers = 2};
    /* effective numbers 4 and 1: of K = 4, 3.2 and 0.8 */
    egc_method method = method_of("maxentropy", "rule=budget;ratio=0.5");
    egc_selection s = run(&method, two, x, 8);
    check_chosen(&s, (const uint32_t[]){0, 1, 2, 5}, 4, "budget");
    release(&s);
    s = run(&method, two, gap, 8); /* a layer of zeros leaves the budget to the other */
    check_chosen(&s, (const uint32_t[]){0, 1, 2, 3}, 4, "budget beside zeros");
    release(&s);
    /* one layer: the K largest */
    s = run(&method, (call){0}, x, 8);
    check_chosen(&s, (const uint32_t[]){0, 1, 2, 5}, 4, "one layer");
    release(&s);
    /* what a layer cannot use goes to the others: all that is not zero at ratio 1 */
    method = method_of("maxentropy", "rule=budget;ratio=1");
    s = run(&method, two, x, 8);
    check_chosen(&s, (const uint32_t[]){0, 1, 2, 3, 5}, 5, "budget of everything");
    release(&s);
    assert_true(egc_method_density(&method, 0) == 1);
    method = method_of("maxentropy", "");
    assert_true(isnan(method.compressor->density(method.params)));
}

/* A diffuse and a concentrated layer of one size: the first gets more, each its own largest, and
 * together about the budget. */
static void budget_follows_entropy(void **state)
{
    (void)state;
    enum { N = 20000 };
    float *x = gaussian(2 * N, 14);
    for (size_t i = N; i < 2 * N; i++)
        x[i] = (float)pow((double)x[i], 7);
    const size_t layers[] = {N, N};
    egc_method method = method_of("maxentropy", "rule=budget;ratio=0.05");
    egc_selection s = run(&method, (call){.layers = layers, .n_layers = 2}, x, 2 * N), part = s;
    assert_true(s.count >= 1998 && s.count <= 2000);
    size_t first = 0;
    while (s.index[first] < N)
        first++;
    assert_true(first > 3 * (s.count - first));
    part.count = first;
    assert_true(is_the_largest(&part, x, N));
    part = (egc_selection){.index = s.index + first, .count = s.count - first};
    for (size_t i = 0; i < part.count; i++)
        part.index[i] -= N;
    assert_true(is_the_largest(&part, x + N, N));
    release(&s);
    free(x);
}

/* sample = 0.01 keeps between half and twice as many as all elements do, whatever the start. */
static void sampled_entropy_stays_near(void **state)
{
    (void)state;
    enum { N = 1000000 };
    float *inputs[] = {laplace(N, 15), gaussian(N, 16)};
    for (int family = 0; family < 2; family++)
        for (int stages = 1; stages <= 3; stages++) {
            char exact[32], sampled[64];
            snprintf(exact, sizeof exact, "stages=%d", stages);
            snprintf(sampled, sizeof sampled, "stages=%d;sample=0.01", stages);
            double want = (double)count_of("maxentropy", exact, inputs[family], N);
            egc_method method = method_of("maxentropy", sampled);
            for (uint64_t seed = 0; seed < 10; seed++) {
                egc_selection s = run(&method, (call){.seed = seed}, inputs[family], N);
                if (!((double)s.count >= want / 2 && (double)s.count <= want * 2))
                    fail_msg("family %d, %d stages: %zu, exactly %g", family, stages, s.count,
                             want);
                release(&s);
            }
        }
    free(inputs[0]), free(inputs[1]);
}

/* Samples that see nothing of what matters, or everything alike. */
static void sampled_entropy_of_awkward_inputs(void **state)
{
    (void)state;
    enum { N = 100000 };
    float *x = calloc(N, sizeof *x);
    assert_none("maxentropy", "sample=0.01", x, N);
    for (int i = 0; i < 6; i++)
        x[12345 * i] = (float)(1 << 2 * i);
    assert_int_equal(count_of("maxentropy", "sample=0.01", x, N), 6); /* fewer than min_tail */
    assert_int_equal(count_of("maxentropy", "", x, N), 6);
    for (size_t i = 0; i < N; i++)
        x[i] = -3;
    assert_all("maxentropy", "sample=0.01", x, N);
    float *small = gaussian(N, 17); /* the sample lies in the first bin */
    small[777] = 1e3f;
    assert_int_equal(count_of("maxentropy", "stages=1", small, N),
                     count_of("maxentropy", "stages=1;sample=0.01", small, N));
    free(small);
    free(x);
}

/* ---- all of them ------------------------------------------------------------------------------
 */

/* Every way of each type on the inputs and lengths that break things: indices ascending and below
 * n, no zeros, values finite and not 0; over steps, so that state and signs take their turns. */
static void every_way_on_awkward_inputs(void **state)
{
    (void)state;
    static const char *const ways[][2] = {
        {"dgc", "ratio=0.05"},
        {"dgc", "ratio=0.05;resample=false;rounds=3"},
        {"gaussiank", "ratio=0.3"},
        {"gaussiank", "ratio=1"},
        {"redsync", "search=trimmed"},
        {"redsync", "quantize=true;reuse=2"},
        {"redsync", "quantize=true;search=trimmed;ratio=0.5"},
        {"sidco", "distribution=gp;stages=3"},
        {"sidco", "distribution=gamma"},
        {"sidco", "distribution=gamma;ratio=0.5"},
        {"sidco", "ratio=1"},
        {"adacomp", "bin=7"},
        {"dryden", "ratio=0.5"},
        {"maxentropy", "rule=share"},
        {"maxentropy", "rule=budget"},
        {"maxentropy", "bins=2;sample=0.1"},
    };
    float x[1024];
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (size_t d = 0; d < N_TEST_DIMS; d++)
            for (int family = 0; family <= N_FAMILIES; family++) {
                size_t n = test_dims[d];
                egc_method method = method_of(ways[w][0], ways[w][1]);
                void *memory = new_state(&method, n);
                bool own_values = method.compressor->traits & EGC_TRAIT_OWN_VALUES;
                for (uint64_t step = 0; step < 12; step++) {
                    fill_input(x, n, family % N_FAMILIES, 43 + step);
                    for (size_t i = 0; family == N_FAMILIES && i < n; i++)
                        x[i] = (float)((double)x[i] * 1e40); /* up to the largest floats */
                    egc_selection s = run(&method, (call){.step = step, .state = memory}, x, n);
                    for (size_t i = 0; i < s.count; i++) {
                        assert_true(s.index[i] < n && (i == 0 || s.index[i] > s.index[i - 1]));
                        assert_true(x[s.index[i]] != 0);
                        assert_true(!own_values || (isfinite(s.value[i]) && s.value[i] != 0 &&
                                                    (s.value[i] < 0) == (x[s.index[i]] < 0)));
                    }
                    release(&s);
                }
                free(memory);
            }
}

/* Types that send one magnitude come with the codec that says it once: 1 + 1 bytes of header, the
 * raw indices, 4 bytes and a bit each; RedSync's one sign a step needs no bits. What is decoded is
 * what was chosen, bit for bit. */
static void one_magnitude_is_said_once(void **state)
{
    (void)state;
    enum { N = 1000 };
    static const struct {
        const char *name, *settings;
        bool signs;
    } cases[] = {{"strom", "tau=0.002", true},
                 {"adacomp", "bin=100", true},
                 {"redsync", "quantize=true;value=mean;ratio=0.05", false}};
    float *x = gaussian(N, 18), decoded[N];
    for (int c = 0; c < 3; c++) {
        egc_method method = method_of(cases[c].name, cases[c].settings);
        egc_selection s = run(&method, (call){.scale = 1}, x, N);
        egc_buf wire = {0};
        egc_error err = {0};
        egc_arena scratch = {0};
        egc_coding coding = {.scratch = &scratch};
        assert_true(s.count > 3 && s.count < 128); /* k is one byte */
        assert_ok(egc_sparse_write(egc_index_codecs()[0], egc_value_codecs()[method.options.value],
                                   &coding, NULL, &s, N, &wire, decoded, &err),
                  err);
        size_t signs = cases[c].signs ? (s.count + 7) / 8 : 0;
        assert_int_equal(wire.len, 2 + (10 * s.count + 7) / 8 + 4 + signs);
        for (size_t i = 0; i < s.count; i++)
            assert_true(decoded[i] == s.value[i] && (decoded[i] < 0) == (x[s.index[i]] < 0));
        egc_arena_fini(&scratch);
        egc_buf_fini(&wire);
        release(&s);
    }
    free(x);
}

/* Are refused, with the reason. */
static void parameters_that_would_do_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *name, *settings, *message; /* NULL: fine */
    } cases[] = {
        {"dgc", "sample=1;rounds=3",
         "rounds and resample adjust an estimate, and sample = 1 makes none"},
        {"dgc", "sample=1;resample=false",
         "rounds and resample adjust an estimate, and sample = 1 makes none"},
        {"dgc", "sample=0.5;resample=false;rounds=3", NULL},
        {"redsync", "search=trimmed;reuse=5", "reuse needs search = \"binary\", got \"trimmed\""},
        {"redsync", "reuse=5", NULL},
        {"sidco", "ratio=0.25;stages=2",
         "stages needs a ratio below 0.25, which one stage is enough for; got 0.25"},
        {"sidco", "ratio=0.2;stages=2", NULL},
        {"sidco", "ratio=0.5;stages=1", NULL},
        {"maxentropy", "rule=share;sample=0.1",
         "sample needs rule = \"maxentropy\", got \"share\""},
        {"maxentropy", "rule=share;stages=2", "stages needs rule = \"maxentropy\", got \"share\""},
        {"maxentropy", "rule=budget;bins=16", "bins needs rule = \"maxentropy\", got \"budget\""},
        {"maxentropy", "rule=budget;min_tail=9",
         "min_tail needs rule = \"maxentropy\", got \"budget\""},
        {"maxentropy", "share=0.2", "share needs rule = \"share\", got \"maxentropy\""},
        {"maxentropy", "rule=share;ratio=0.2", "ratio needs rule = \"budget\", got \"share\""},
        {"maxentropy", "stages=1;sample=0.1", NULL},
        {"maxentropy", "rule=share;share=0.2", NULL},
        {"maxentropy", "rule=budget;ratio=1", NULL},
    };
    egc_error err = {0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        egc_method method = method_of(cases[c].name, cases[c].settings);
        if (cases[c].message)
            assert_fails(egc_method_check(&method, &err), err, EGC_ERROR_UNSUPPORTED,
                         cases[c].message);
        else
            assert_ok(egc_method_check(&method, &err), err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(randomk_draws_k_distinct_indices),
        cmocka_unit_test(randomk_is_uniform),
        cmocka_unit_test(randomk_goes_by_the_shared_generator_alone),
        cmocka_unit_test(randomk_scaled_is_unbiased),
        cmocka_unit_test(threshold_of_negative_elements),
        cmocka_unit_test(strom_by_hand),
        cmocka_unit_test(strom_sends_one_tau_a_step),
        cmocka_unit_test(dgc_exact),
        cmocka_unit_test(dgc_stride_and_start),
        cmocka_unit_test(dgc_trims_to_the_largest),
        cmocka_unit_test(dgc_keeps_its_band),
        cmocka_unit_test(dgc_threshold_zero),
        cmocka_unit_test(dgc_is_the_whole_method),
        cmocka_unit_test(gaussiank_by_hand),
        cmocka_unit_test(gaussiank_on_gaussian_data),
        cmocka_unit_test(gaussiank_without_deviation),
        cmocka_unit_test(redsync_by_hand),
        cmocka_unit_test(redsync_equal_magnitudes),
        cmocka_unit_test(redsync_trimmed_is_top_k),
        cmocka_unit_test(redsync_quantised),
        cmocka_unit_test(redsync_reuses_thresholds),
        cmocka_unit_test(sidco_by_hand),
        cmocka_unit_test(sidco_fits_exponential_magnitudes),
        cmocka_unit_test(sidco_settles),
        cmocka_unit_test(sidco_units_are_apart),
        cmocka_unit_test(sidco_degenerate_inputs),
        cmocka_unit_test(sidco_gamma_of_any_shape),
        cmocka_unit_test(adacomp_by_hand),
        cmocka_unit_test(adacomp_bins_of_zeros),
        cmocka_unit_test(dryden_by_hand),
        cmocka_unit_test(dryden_sides_are_exact),
        cmocka_unit_test(share_by_hand),
        cmocka_unit_test(share_equals_sorting),
        cmocka_unit_test(budget_by_hand),
        cmocka_unit_test(budget_follows_entropy),
        cmocka_unit_test(one_magnitude_is_said_once),
        cmocka_unit_test(parameters_that_would_do_nothing),
        cmocka_unit_test(sampled_entropy_stays_near),
        cmocka_unit_test(sampled_entropy_of_awkward_inputs),
        cmocka_unit_test(every_way_on_awkward_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
