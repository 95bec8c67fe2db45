/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The wire size of every compressor type against a formula written here, independently of the
 * code: exactly so many bits, padded to a byte once. Every registered type has at least one row in
 * the table; types whose size depends on the data have a formula of the data, or of what the
 * receiver makes of the message. */
#include "support/test.h"

#include "support/coder.h"
#include "support/inputs.h"

enum { LARGE = 1000003 };

/* Units of n elements, some of them matrices. */
static const struct {
    size_t n, rows;
} units[] = {{1, 0}, {2, 2}, {3, 0}, {31, 0}, {32, 4}, {33, 3}, {1000, 25}, {LARGE, 0}};
enum { N_UNITS = sizeof units / sizeof *units };

/* One message, or one round's message of a single worker. */
typedef struct sample {
    const float *x;
    size_t n;
    size_t rows;          /* n = rows * columns, or 0 */
    size_t round;         /* types with rounds: whose message it is */
    const float *decoded; /* what the receiver makes of it; NULL in rounds */
} sample;

typedef struct size_row {
    const char *name;
    const char *settings;
    uint64_t (*bits)(const sample *s);
    bool fixed; /* by n alone, so that a coder's bound is just that */
} size_row;

/* ---- formulas ------------------------------------------------------------------------------ */

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* ceil(log2 n): the bits of a number below n. */
static uint64_t index_bits(uint64_t n)
{
    uint64_t bits = 0;
    while ((1ull << bits) < n)
        bits++;
    return bits;
}

static uint64_t varint_bits(uint64_t value)
{
    uint64_t bytes = 1;
    while (value >>= 7)
        bytes++;
    return 8 * bytes;
}

/* A sparse message of k elements with index = "raw" and value = "fp32". */
static uint64_t sparse_bits(uint64_t k, uint64_t n)
{
    return 8 + varint_bits(k) + 8 * ceil_div(k * index_bits(n), 8) + 32 * k;
}

static uint64_t nonzeros(const float *x, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += x[i] != 0;
    return count;
}

static uint64_t fp32_bits(const sample *s)
{
    return 32 * s->n;
}

static uint64_t sixteen_bits(const sample *s)
{
    return 16 * s->n;
}

static uint64_t topk_bits(const sample *s)
{
    uint64_t k = s->n / 100 ? s->n / 100 : 1, most = nonzeros(s->x, s->n);
    return sparse_bits(k < most ? k : most, s->n);
}

static uint64_t threshold_bits(const sample *s)
{
    uint64_t k = 0;
    for (size_t i = 0; i < s->n; i++)
        k += s->x[i] > 0.25f || s->x[i] < -0.25f;
    return sparse_bits(k, s->n);
}

/* Values alone; zeros that were drawn are sent. */
static uint64_t randomk_bits(const sample *s)
{
    return 32 * (s->n / 100 ? s->n / 100 : 1);
}

/* A share of either side, as signs and two means in 16 bits each. */
static uint64_t dryden_bits(const sample *s)
{
    uint64_t positive = 0, negative = 0;
    for (size_t i = 0; i < s->n; i++) {
        positive += s->x[i] > 0;
        negative += s->x[i] < 0;
    }
    uint64_t k = (positive >= 100 ? positive / 100 : positive > 0) +
                 (negative >= 100 ? negative / 100 : negative > 0);
    uint64_t values = k ? 8 * ceil_div(32 + k, 8) : 0;
    return sparse_bits(k, s->n) - 32 * k + values;
}

/* Which elements it keeps is tested elsewhere; none of them is zero, so they can be counted. */
static uint64_t kept_bits(const sample *s)
{
    return sparse_bits(nonzeros(s->decoded, s->n), s->n);
}

/* A sign each behind one fp32 magnitude. */
static uint64_t signs_bits(uint64_t k, uint64_t n)
{
    return sparse_bits(k, n) - 32 * k + (k ? 8 * ceil_div(32 + k, 8) : 0);
}

static uint64_t strom_bits(const sample *s)
{
    uint64_t k = 0;
    for (size_t i = 0; i < s->n; i++)
        k += s->x[i] > 0.25f || s->x[i] < -0.25f;
    return signs_bits(k, s->n);
}

static uint64_t kept_signs_bits(const sample *s)
{
    return signs_bits(nonzeros(s->decoded, s->n), s->n);
}

/* One number for all that one sign a step leaves. */
static uint64_t redsync_quantised_bits(const sample *s)
{
    uint64_t k = nonzeros(s->decoded, s->n);
    return sparse_bits(k, s->n) - 32 * k + (k ? 32 : 0);
}

static uint64_t byte_and_a_scale(const sample *s)
{
    return 8 * s->n + 32;
}

/* 512 elements share two scales; no bucket is padded. */
static uint64_t byte_and_two_scales_a_bucket(const sample *s)
{
    return 8 * s->n + 64 * ceil_div(s->n, 512);
}

static uint64_t qsgd_bits(const sample *s)
{
    return 8 * s->n + 32 * ceil_div(s->n, 128);
}

/* Levels 0 to 5 take three bits, and a sign. */
static uint64_t qsgd_five_levels(const sample *s)
{
    return 4 * s->n + 32;
}

static uint64_t elias_delta_bits(uint64_t value)
{
    uint64_t log = 0, loglog = 0;
    while (value >> (log + 1))
        log++;
    while ((log + 1) >> (loglog + 1))
        loglog++;
    return log + 2 * loglog + 1;
}

/* Levels from what was decoded: the norm of the bucket is divided into 127. */
static uint64_t qsgd_elias_bits(const sample *s)
{
    uint64_t bits = elias_delta_bits(1 + nonzeros(s->decoded, s->n)), gap = 1;
    for (size_t start = 0; start < s->n; start += 128) {
        size_t end = start + 128 < s->n ? start + 128 : s->n;
        double norm2 = 0;
        for (size_t i = start; i < end; i++)
            norm2 += (double)s->x[i] * (double)s->x[i];
        bits += 32;
        for (size_t i = start; i < end; i++, gap++) {
            double level = 127 * fabs((double)s->decoded[i]) / sqrt(norm2);
            if (s->decoded[i] == 0)
                continue;
            bits += elias_delta_bits(gap) + 1 + elias_delta_bits((uint64_t)(level + 0.5));
            gap = 0;
        }
    }
    return bits;
}

static uint64_t trit_bits(const sample *s)
{
    return 32 + 8 * ceil_div(s->n, 5);
}

static uint64_t two_bits_and_a_scale(const sample *s)
{
    return 32 + 2 * s->n;
}

static uint64_t nine_bits(const sample *s)
{
    return 9 * s->n;
}

static uint64_t sign_and_two_means(const sample *s)
{
    return s->n + 64;
}

static uint64_t sign_and_two_means_a_column(const sample *s)
{
    uint64_t columns = s->rows > 1 ? s->n / s->rows : 1;
    return s->n + 64 * columns + varint_bits(columns);
}

static uint64_t two_bits(const sample *s)
{
    return 2 * s->n;
}

static uint64_t sign_and_a_scale(const sample *s)
{
    return s->n + 32;
}

/* error = 2^-10, so steps of 2^-9; the first class that can hold the nearest number of steps. */
static uint64_t inceptionn_bits(const sample *s)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < s->n; i++) {
        double steps = 512 * fabs((double)s->x[i]);
        bits += 2 + (steps < 0.5 ? 0 : steps < 128.5 ? 8 : steps < 128.5 + 32768 ? 16 : 32);
    }
    return bits;
}

static uint64_t one_bit(const sample *s)
{
    return s->n;
}

static const float *ordering; /* what by_magnitude looks at */

static int by_magnitude(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    float x = fabsf(ordering[i]), y = fabsf(ordering[j]);
    return x > y ? -1 : x < y ? 1 : i < j ? -1 : i > j;
}

static int by_index(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    return i < j ? -1 : i > j;
}

/* The indices of the n/100 largest, their number before and their codec's in between. */
static uint64_t agreed_bits(const sample *s)
{
    uint32_t *index = malloc(s->n * sizeof *index);
    uint64_t most = nonzeros(s->x, s->n), k = s->n / 100 ? s->n / 100 : 1, bits = 0;
    k = k < most ? k : most;
    for (size_t i = 0; i < s->n; i++)
        index[i] = (uint32_t)i;
    ordering = s->x;
    qsort(index, s->n, sizeof *index, by_magnitude);
    qsort(index, k, sizeof *index, by_index);
    if (k) /* the codecs' own sizes are tested by conformance/codecs.c */
        bits = 8 + 8 * ceil_div(egc_codec_smallest_index(index, k, s->n)
                                    ->size_bits(&(egc_codec_context){0}, index, k, s->n),
                                8);
    free(index);
    return varint_bits(k) + bits;
}

/* A single worker needs no bits to be told that all parts are its own. */
static uint64_t deft_bits(const sample *s)
{
    return s->round == 0 ? 0 : agreed_bits(s);
}

/* Five rows of four cells for each element wanted. */
static uint64_t sketch_bits(const sample *s)
{
    return 32 * 5 * 4 * (s->n / 100 ? s->n / 100 : 1);
}

/* Rank 4: P, then Q. */
static uint64_t powersgd_bits(const sample *s)
{
    return 32 * 4 * (s->round == 0 ? s->rows : s->n / s->rows);
}

/* Any order; a type may have several rows. */
static const size_row rows[] = {
    {"none", "", fp32_bits, true},
    {"topk", "index=raw", topk_bits, false},
    {"threshold", "index=raw;tau=0.25", threshold_bits, false},
    {"randomk", "", randomk_bits, false},
    {"strom", "index=raw;tau=0.25", strom_bits, false},
    {"dgc", "index=raw", kept_bits, false},
    {"gaussiank", "index=raw", kept_bits, false},
    {"redsync", "index=raw", kept_bits, false},
    {"redsync", "index=raw;quantize=true;value=mean", redsync_quantised_bits, false},
    {"sidco", "index=raw", kept_bits, false},
    {"adacomp", "index=raw", kept_signs_bits, false},
    {"dryden", "index=raw", dryden_bits, false},
    {"maxentropy", "index=raw", kept_bits, false},
    {"maxentropy", "index=raw;rule=share", kept_bits, false},
    {"maxentropy", "index=raw;rule=budget", topk_bits, false},
    {"fp16", "", sixteen_bits, true},
    {"bf16", "", sixteen_bits, true},
    {"int8", "", byte_and_a_scale, true},
    {"int8", "code=affine;bucket=512", byte_and_two_scales_a_bucket, true},
    {"qsgd", "", qsgd_bits, true},
    {"qsgd", "levels=5;bucket=0", qsgd_five_levels, true},
    {"qsgd", "code=elias", qsgd_elias_bits, false},
    {"terngrad", "", trit_bits, true},
    {"terngrad", "code=bits", two_bits_and_a_scale, true},
    {"natural", "", nine_bits, true},
    {"onebit", "", sign_and_two_means, true},
    {"onebit", "columns=true", sign_and_two_means_a_column, false},
    {"twobit", "", two_bits, true},
    {"efsign", "", sign_and_a_scale, true},
    {"inceptionn", "", inceptionn_bits, false},
    {"cltk", "", agreed_bits, false},
    {"deft", "", deft_bits, false},
    {"sketch", "", sketch_bits, false},
    {"powersgd", "", powersgd_bits, false},
    {"signsgd", "", one_bit, false},
    {"signsgd", "vote=false", one_bit, true},
    {"signum", "", one_bit, false},
    {"signum", "vote=false", one_bit, true},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* ---- messages ------------------------------------------------------------------------------ */

static void compare(const size_row *row, const sample *s, size_t bytes)
{
    if (bytes != ceil_div(row->bits(s), 8))
        fail_msg("%s %s, n = %zu, round %zu: %zu bytes, the formula says %llu bits", row->name,
                 row->settings, s->n, s->round, bytes, (unsigned long long)row->bits(s));
}

static void check_coder(const size_row *row, coder *c, sample *s, float *decoded)
{
    egc_buf wire = {0};
    egc_error err = {0};
    coder_encode(c, s->x, 0, &wire);
    assert_ok(coder_decode(c, wire.data, wire.len, decoded, &err), err);
    s->decoded = decoded;
    compare(row, s, wire.len);
    size_t bound = c->type->bound(c->method.params, s->n);
    assert_true(row->fixed ? wire.len == bound : wire.len <= bound);
    egc_buf_fini(&wire);
}

static void check_sparsifier(const size_row *row, coder *c, sample *s, float *decoded)
{
    egc_buf wire = {0};
    egc_error err = {0};
    egc_context context = coder_context(c, s->x, 0);
    egc_selection selection = {.index = malloc(s->n * sizeof(uint32_t)),
                               .value = malloc(s->n * sizeof(float))};
    float *sent = malloc(s->n * sizeof *sent);
    const egc_method_options *options = &c->method.options;
    const egc_value_codec *value = egc_codec_value_types()[options->value];
    egc_codec_context coding = {.rng = c->rng, .scratch = &c->scratch};
    assert_ok(c->type->select(c->method.params, c->state, &context, s->x, s->n, &selection, &err),
              err);
    if (c->type->traits & EGC_TRAIT_SHARED) {
        for (size_t i = 0; i < selection.count; i++)
            selection.value[i] = s->x[selection.index[i]];
        assert_ok(egc_sparse_message_write_values(value, &coding, selection.value, selection.count,
                                                  &wire, sent, &err),
                  err);
    } else {
        const egc_index_codec *index =
            options->index ? egc_codec_index_types()[options->index - 1] : NULL;
        const float *x = c->type->traits & EGC_TRAIT_OWN_VALUES ? NULL : s->x;
        assert_ok(
            egc_sparse_message_write(index, value, &coding, x, &selection, s->n, &wire, sent, &err),
            err);
    }
    memset(decoded, 0, s->n * sizeof *decoded);
    for (size_t i = 0; i < selection.count; i++)
        decoded[selection.index[i]] = sent[i];
    s->decoded = decoded;
    compare(row, s, wire.len);
    free(selection.index);
    free(selection.value);
    free(sent);
    egc_buf_fini(&wire);
}

/* A single worker's messages, each delivered to its own replica; the values that follow a
 * sparsifier's rounds are the core's. */
static void check_rounds(const size_row *row, coder *c, sample *s, const egc_rounds *rounds)
{
    egc_error err = {0};
    void *replica = calloc(1, rounds->replica_size(c->method.params, &c->unit) + 1);
    for (s->round = 0; s->round < rounds->count; s->round++) {
        egc_buf wire = {0};
        egc_context context = coder_context(c, s->x, 0);
        context.gradient = s->round == 0 ? s->x : NULL;
        assert_ok(rounds->message(c->method.params, c->state, replica, &context, s->round, s->x,
                                  s->n, &wire, &err),
                  err);
        compare(row, s, wire.len);
        egc_reader message = egc_reader_of(wire.data, wire.len);
        assert_ok(
            rounds->absorb(c->method.params, replica, &context, s->round, &message, 1, s->n, &err),
            err);
        egc_buf_fini(&wire);
    }
    free(replica);
}

/* Units that the type does not take are sent dense: by the row of "none". */
static bool check_row(const size_row *row, size_t n, size_t n_rows, int family)
{
    float *x = malloc(n * sizeof *x), *decoded = malloc(n * sizeof *decoded);
    fill_input(x, n, family, 41);
    sample s = {.x = x, .n = n, .rows = n_rows};
    coder c = coder_open(row->name, row->settings, n, n_rows);
    gsl_rng_set(c.rng, 43);
    const egc_rounds *rounds = egc_compressor_rounds(c.type, c.method.params);
    bool pays = !c.type->pays || c.type->pays(c.method.params, &c.unit);
    if (pays && rounds)
        check_rounds(row, &c, &s, rounds);
    else if (pays && c.type->select)
        check_sparsifier(row, &c, &s, decoded);
    else if (pays)
        check_coder(row, &c, &s, decoded);
    coder_close(&c);
    free(x);
    free(decoded);
    return pays;
}

static void sizes__are_those_of_the_formulas(void **state)
{
    (void)state;
    for (size_t r = 0; r < N_ROWS; r++) {
        size_t checked = 0;
        for (size_t u = 0; u < N_UNITS; u++)
            for (int family = 0; family < N_FAMILIES; family++)
                if (units[u].n < LARGE || family == HEAVY_TAIL)
                    checked += check_row(&rows[r], units[u].n, units[u].rows, family);
        assert_true(checked > 0);
    }
}

static void sizes__every_type_has_a_formula(void **state)
{
    (void)state;
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++) {
        size_t found = 0;
        for (size_t r = 0; r < N_ROWS; r++)
            found += strcmp(rows[r].name, (*type)->name) == 0;
        if (found == 0)
            fail_msg("%s has no row in %s", (*type)->name, __FILE__);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes__every_type_has_a_formula),
        cmocka_unit_test(sizes__are_those_of_the_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
