/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that are merged: sums, what is kept, parts and what is joined of them, against dense
 * vectors; damage; and what can not be merged. */
#include "support/test.h"

#include <stdlib.h>

#include "base/rng.h"
#include "support/method.h"

enum { SMALL = 20, LARGE = 300, N = SMALL + LARGE, P = 5 };

/* A vector that dense_vectors sends dense, and a matrix. */
static const egc_unit units[] = {{.name = "small", .count = SMALL},
                                 {.name = "large", .first = SMALL, .count = LARGE, .rows = 10}};

typedef struct bench {
    egc_method method;
    egc_workspace *workspace;
    egc_decoder *decoder;
    egc_encoder *encoder[P];
    egc_merger *merger;
    egc_buf message[P]; /* opened */
    float sent[P][N];   /* what these say */
} bench;

static void add_to(bench *b, const egc_buf *message, float *vector)
{
    float mean[N];
    egc_error err = {0};
    egc_reader reader = egc_reader_of(message->data, message->len);
    const egc_decoder_input delivery = {
        .count = 2, .messages = &reader, .n_messages = 1, .reduced = true};
    assert_ok(egc_decoder_decode(b->decoder, &delivery, mean, &err), err);
    for (size_t i = 0; i < N; i++)
        vector[i] += mean[i] * P;
}

/* Whole numbers, so that sums are exact; some of them cancel. */
static void fill(size_t worker, float *g)
{
    for (size_t i = 0; i < N; i++)
        g[i] = (float)((int)(egc_rng_derive_seed(5, worker, i) % 41) - 20);
}

static bench *bench_new(const char *settings, egc_merge_rule rule)
{
    bench *b = calloc(1, sizeof *b);
    egc_error err = {0};
    b->method = method_of("topk", settings);
    b->method.options.dense_vectors = true;
    assert_ok(egc_merger_check(&b->method, rule, &err), err);
    assert_ok(egc_workspace_new(LARGE, &b->workspace, &err), err);
    const egc_coder_config config = {.method = &b->method,
                                     .n_workers = P,
                                     .seed = 1,
                                     .units = units,
                                     .n_units = 2,
                                     .workspace = b->workspace,
                                     .merge = rule};
    assert_ok(egc_decoder_new(&config, &b->decoder, &err), err);
    assert_ok(egc_merger_new(&config, 0, 2, &b->merger, &err), err);
    for (size_t w = 0; w < P; w++) {
        float g[N];
        egc_buf raw = {0};
        egc_gradient_check check;
        fill(w, g);
        assert_ok(egc_encoder_new(&config, w, b->decoder, &b->encoder[w], &err), err);
        assert_ok(egc_encoder_step(b->encoder[w], &(egc_step_input){.lr = NAN, .gradient = g},
                                   &check, &err),
                  err);
        assert_ok(egc_encoder_message(b->encoder[w], 0, 0, 2, 0, &raw, &err), err);
        assert_ok(egc_merger_open(b->merger, &raw, &b->message[w], &err), err);
        add_to(b, &b->message[w], b->sent[w]);
        egc_buf_fini(&raw);
    }
    return b;
}

static void bench_free(bench *b)
{
    for (size_t w = 0; w < P; w++) {
        egc_buf_fini(&b->message[w]);
        egc_encoder_free(b->encoder[w]);
    }
    egc_merger_free(b->merger);
    egc_decoder_free(b->decoder);
    egc_workspace_free(b->workspace);
    free(b);
}

static void assert_says(bench *b, const egc_buf *message, const float *want)
{
    float got[N] = {0};
    add_to(b, message, got);
    for (size_t i = 0; i < N; i++)
        if (fabsf(got[i] - want[i]) > 1e-4f)
            fail_msg("element %zu: %g, want %g", i, (double)got[i], (double)want[i]);
}

/* The sum of all messages; want becomes that of the vectors. */
static egc_buf sum_of(bench *b, float *want)
{
    egc_buf sum = {0};
    egc_error err = {0};
    memset(want, 0, N * sizeof *want);
    assert_ok(egc_buf_append(&sum, b->message[0].data, b->message[0].len, &err), err);
    for (size_t w = 1; w < P; w++) {
        egc_buf next = {0};
        assert_ok(egc_merger_sum(b->merger, &sum, &b->message[w], &next, &err), err);
        egc_buf_fini(&sum);
        sum = next;
    }
    for (size_t w = 0; w < P; w++)
        for (size_t i = 0; i < N; i++)
            want[i] += b->sent[w][i];
    return sum;
}

static const char *const codings[] = {
    "ratio=0.1", "ratio=0.1;index=raw32", "ratio=0.6;index=raw32", "ratio=0.1;index=varint",
    "ratio=1",   "ratio=0.1;value=fp16",  "ratio=0.1;value=bf16",
};
enum { N_CODINGS = sizeof codings / sizeof *codings };

static void merging__sums_are_sums(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CODINGS; c++) {
        bench *b = bench_new(codings[c], EGC_MERGE_ALL);
        float want[N], mine[N];
        fill(0, mine);
        for (size_t i = 0; i < SMALL; i++) /* sent dense */
            assert_true(fabsf(b->sent[0][i] - mine[i]) < 1e-4f);
        egc_buf sum = sum_of(b, want);
        assert_says(b, &sum, want);
        /* never much longer than all values: SparCML's switch */
        assert_true(sum.len <= 2 + 2 * 20 + N * sizeof(float));
        egc_buf_fini(&sum);
        bench_free(b);
    }
}

static int by_magnitude(const void *a, const void *b)
{
    const float *x = *(const float *const *)a, *y = *(const float *const *)b;
    float left = fabsf(*x), right = fabsf(*y);
    return left != right ? (left < right) - (left > right) : (x > y) - (x < y);
}

/* Leaves the k largest of the matrix, first come first served. */
static void keep_largest(float *vector, size_t k)
{
    const float *order[LARGE];
    bool kept[LARGE] = {false};
    for (size_t i = 0; i < LARGE; i++)
        order[i] = &vector[SMALL + i];
    qsort(order, LARGE, sizeof *order, by_magnitude);
    for (size_t i = 0; i < k; i++)
        kept[order[i] - &vector[SMALL]] = true;
    for (size_t i = 0; i < LARGE; i++)
        if (!kept[i])
            vector[SMALL + i] = 0;
}

static void merging__the_largest_are_kept(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CODINGS; c++) {
        bench *b = bench_new(codings[c], EGC_MERGE_LARGEST);
        float want[N];
        egc_error err = {0};
        egc_buf sum = sum_of(b, want), kept = {0};
        assert_ok(egc_merger_keep(b->merger, 0, &sum, &kept, &err), err);
        keep_largest(want, (size_t)(egc_method_density(&b->method, 0) * LARGE + 0.5));
        assert_says(b, &kept, want);
        egc_buf_fini(&kept);
        egc_buf_fini(&sum);
        bench_free(b);
    }
}

static void cut_all(bench *b, const egc_buf *message, int parts, egc_buf *out)
{
    egc_error err = {0};
    for (int p = 0; p < parts; p++) {
        egc_buf_clear(&out[p]);
        assert_ok(egc_merger_cut(b->merger, message, p, parts, &out[p], &err), err);
    }
}

static void merging__parts_make_up_the_whole(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CODINGS; c++)
        for (int parts = 1; parts <= 9; parts++) {
            bench *b = bench_new(codings[c], EGC_MERGE_ALL);
            egc_buf out[9] = {{0}}, joined = {0};
            egc_error err = {0};
            cut_all(b, &b->message[1], parts, out);
            for (int p = 0; p < parts; p++) {
                float got[N] = {0};
                add_to(b, &out[p], got);
                for (size_t i = 0; i < N; i++)
                    assert_true(got[i] == (i >= N * (size_t)p / (size_t)parts &&
                                                   i < N * ((size_t)p + 1) / (size_t)parts
                                               ? b->sent[1][i]
                                               : 0));
            }
            assert_ok(egc_merger_join(b->merger, 0, out, (size_t)parts, &joined, &err), err);
            assert_says(b, &joined, b->sent[1]);
            for (int p = 0; p < 9; p++)
                egc_buf_fini(&out[p]);
            egc_buf_fini(&joined);
            bench_free(b);
        }
}

/* Ok-Topk's threshold: the first joined sum is the whole one, of which the k largest are left;
 * later ones keep what is as large, until it is made anew. Parts are then equally full. */
static void merging__thresholds_are_made_and_used(void **state)
{
    (void)state;
    bench *b = bench_new("ratio=0.1", EGC_MERGE_ABOVE);
    float want[N], least = INFINITY;
    egc_error err = {0};
    egc_buf sum = sum_of(b, want), kept = {0}, joined = {0}, out[P] = {{0}};
    assert_ok(egc_merger_keep(b->merger, 0, &sum, &kept, &err), err);
    assert_says(b, &kept, want); /* nothing is known yet: all */
    assert_ok(egc_merger_join(b->merger, 0, &kept, 1, &joined, &err), err);
    keep_largest(want, LARGE / 10);
    assert_says(b, &joined, want);
    for (size_t i = SMALL; i < N; i++)
        least = want[i] != 0 ? fminf(least, fabsf(want[i])) : least;

    cut_all(b, &sum, P, out); /* 20 of the vector and the union of P times 30 */
    size_t listed = 0, longest = 0;
    for (size_t p = 0; p < P; p++) {
        float got[N] = {0};
        size_t count = 0;
        add_to(b, &out[p], got);
        for (size_t i = 0; i < N; i++)
            count += got[i] != 0;
        listed += count;
        longest = count > longest ? count : longest;
        egc_buf_fini(&out[p]);
    }
    assert_true(longest <= listed / P + 3); /* but for elements that cancel */

    memset(want, 0, sizeof want);
    for (size_t i = 0; i < N; i++)
        want[i] = i < SMALL || fabsf(b->sent[2][i]) >= least ? b->sent[2][i] : 0;
    egc_buf_clear(&kept);
    assert_ok(egc_merger_keep(b->merger, 31, &b->message[2], &kept, &err), err);
    assert_says(b, &kept, want);
    egc_buf_clear(&kept);
    assert_ok(egc_merger_keep(b->merger, 32, &b->message[2], &kept, &err), err);
    assert_says(b, &kept, b->sent[2]);
    egc_buf_fini(&kept);
    egc_buf_fini(&joined);
    egc_buf_fini(&sum);
    bench_free(b);
}

/* Steps by hand: encoders, all messages summed and kept, joined, decoded and settled. */
static void one_step(bench *b, uint64_t step, egc_merge_rule rule, float *applied)
{
    egc_error err = {0};
    egc_buf sum = {0}, joined = {0};
    for (size_t w = 0; w < P; w++) {
        float g[N];
        egc_buf raw = {0}, opened = {0}, next = {0};
        egc_gradient_check check;
        const egc_step_input input = {.step = step, .lr = NAN, .gradient = g};
        fill(w + P * (size_t)step, g);
        assert_ok(egc_encoder_step(b->encoder[w], &input, &check, &err), err);
        assert_ok(egc_encoder_message(b->encoder[w], 0, 0, 2, 0, &raw, &err), err);
        assert_ok(egc_merger_open(b->merger, &raw, &opened, &err), err);
        memset(b->sent[w], 0, sizeof b->sent[w]);
        add_to(b, &opened, b->sent[w]);
        if (w > 0)
            assert_ok(egc_merger_sum(b->merger, &sum, &opened, &next, &err), err);
        else
            assert_ok(egc_buf_append(&next, opened.data, opened.len, &err), err);
        egc_buf_fini(&sum);
        sum = next;
        egc_buf_fini(&opened);
        egc_buf_fini(&raw);
    }
    egc_buf kept = {0};
    if (rule == EGC_MERGE_ALL)
        assert_ok(egc_buf_append(&kept, sum.data, sum.len, &err), err);
    else
        assert_ok(egc_merger_keep(b->merger, step, &sum, &kept, &err), err);
    assert_ok(egc_merger_join(b->merger, step, &kept, 1, &joined, &err), err);
    memset(applied, 0, N * sizeof *applied);
    add_to(b, &joined, applied);
    for (size_t w = 0; w < P; w++)
        assert_ok(egc_encoder_finish(b->encoder[w], 0, 2, &err), err);
    egc_buf_fini(&kept);
    egc_buf_fini(&joined);
    egc_buf_fini(&sum);
}

/* All that came in was applied or is in a memory, at every step, and a worker lets go of nothing
 * but what it sent and is in the sum. With one sum and one keeping none of it is lost. */
static void merging__what_is_dropped_stays(void **state)
{
    (void)state;
    const egc_merge_rule rules[] = {EGC_MERGE_ALL, EGC_MERGE_LARGEST, EGC_MERGE_ABOVE};
    for (size_t r = 0; r < 3; r++) {
        bench *b = bench_new("ratio=0.1", rules[r]);
        float applied[N], balance[N] = {0}; /* what came in and is neither applied nor kept */
        for (size_t w = 0; w < P; w++)      /* of the bench's own step, which no one finished */
            for (size_t i = 0; i < N; i++)
                balance[i] += egc_encoder_residual(b->encoder[w])[i];
        for (uint64_t step = 1; step < 6; step++) {
            one_step(b, step, rules[r], applied);
            for (size_t w = 0; w < P; w++) {
                const float *left = egc_encoder_residual(b->encoder[w]);
                float g[N];
                fill(w + P * (size_t)step, g);
                for (size_t i = 0; i < N; i++)
                    balance[i] += g[i];
                for (size_t i = SMALL; i < N && rules[r] != EGC_MERGE_ALL; i++)
                    assert_true(applied[i] != 0 || b->sent[w][i] == 0 ||
                                fabsf(left[i] - b->sent[w][i]) < 1e-3f);
            }
            for (size_t i = 0; i < N; i++)
                balance[i] -= applied[i];
        }
        for (size_t i = 0; i < N; i++) {
            for (size_t w = 0; w < P; w++)
                balance[i] -= egc_encoder_residual(b->encoder[w])[i];
            assert_true(fabsf(balance[i]) < 1e-2f);
        }
        bench_free(b);
    }
}

/* Momentum goes on where a contribution was dropped; masking ends it where it arrived. */
static void merging__dropped_momentum_goes_on(void **state)
{
    (void)state;
    bench *b = bench_new("ratio=0.1;memory=momentum;masking=true", EGC_MERGE_LARGEST);
    float applied[N];
    size_t dropped = 0, arrived = 0;
    one_step(b, 1, EGC_MERGE_LARGEST, applied);
    for (size_t w = 0; w < P; w++)
        for (size_t i = SMALL; i < N; i++) {
            if (b->sent[w][i] == 0)
                continue;
            float velocity = egc_encoder_velocity(b->encoder[w])[i];
            assert_true((velocity == 0) == (applied[i] != 0));
            dropped += velocity != 0;
            arrived += velocity == 0;
        }
    assert_true(dropped > 0 && arrived > 0);
    bench_free(b);
}

/* Any truncated message and any with a bit flipped is either refused or still a message. */
static void merging__damage_is_refused(void **state)
{
    (void)state;
    bench *b = bench_new("ratio=0.05", EGC_MERGE_LARGEST);
    for (size_t len = 0; len < b->message[0].len; len++) {
        egc_buf cut = {.data = b->message[0].data, .len = len}, out = {0};
        egc_error err = {0};
        assert_int_equal(egc_merger_sum(b->merger, &b->message[1], &cut, &out, &err),
                         EGC_ERROR_FORMAT);
        assert_int_equal(egc_merger_keep(b->merger, 0, &cut, &out, &err), EGC_ERROR_FORMAT);
        egc_buf_fini(&out);
    }
    for (size_t bit = 0; bit < 8 * b->message[0].len; bit++) {
        egc_buf out = {0};
        egc_error err = {0};
        b->message[0].data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        egc_status status = egc_merger_join(b->merger, 0, b->message, 2, &out, &err);
        assert_true(status == EGC_OK || status == EGC_ERROR_FORMAT);
        status = egc_merger_cut(b->merger, &b->message[0], 1, 3, &out, &err);
        assert_true(status == EGC_OK || status == EGC_ERROR_FORMAT);
        b->message[0].data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        egc_buf_fini(&out);
    }
    bench_free(b);
}

/* Sums beyond the largest half are reported, not clipped. */
static void merging__sums_overflow_loudly(void **state)
{
    (void)state;
    bench *b = bench_new("ratio=0.1;value=fp16", EGC_MERGE_ALL);
    egc_error err = {0};
    egc_buf sum = {0}, twice = {0};
    assert_ok(egc_buf_append(&sum, b->message[0].data, b->message[0].len, &err), err);
    for (int i = 0; i < 11; i++) { /* 20 * 2^11 is half of what 20 * 2^12 would be: 81920 */
        egc_buf_clear(&twice);
        assert_ok(egc_merger_sum(b->merger, &sum, &sum, &twice, &err), err);
        egc_buf taken = sum;
        sum = twice;
        twice = taken;
    }
    assert_fails(egc_merger_sum(b->merger, &sum, &sum, &twice, &err), err, EGC_ERROR_NONFINITE,
                 "large: a sum of messages is too large for value = \"fp16\"; use another or clip");
    egc_buf_fini(&sum);
    egc_buf_fini(&twice);
    bench_free(b);
}

/* Why, and what to do about it. */
static void merging__what_cannot_be_merged_says_so(void **state)
{
    (void)state;
    const struct {
        const char *method, *settings;
        egc_merge_rule rule;
        const char *says;
    } refused[] = {
        {"none", "", EGC_MERGE_ALL,
         "none sends every element, in bytes of its own; use a method that chooses elements, such "
         "as topk"},
        {"randomk", "", EGC_MERGE_ALL,
         "randomk makes all workers send the same elements, whose values any exchange can sum; use "
         "auto"},
        {"cltk", "", EGC_MERGE_LARGEST,
         "cltk makes all workers send the same elements, whose values any exchange can sum; use "
         "auto"},
        {"topk", "entropy=range", EGC_MERGE_ALL,
         "topk packs its messages with entropy = \"range\"; use entropy = \"none\""},
        {"topk", "index=bloom", EGC_MERGE_ALL,
         "topk sends other positions than it chose with index = \"bloom\"; use another index "
         "codec"},
        {"topk", "value=q4", EGC_MERGE_ALL,
         "topk sends values that do not stand alone with value = \"q4\"; use fp32, fp16 or bf16"},
        {"threshold", "", EGC_MERGE_LARGEST,
         "threshold does not say how many elements to keep of a sum; use a method with a ratio, "
         "such as topk"},
        {"dgc", "lr_correction=layer", EGC_MERGE_ALL,
         "dgc corrects by the density of every worker's message, which a sum does not show; use "
         "lr_correction = \"none\""},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        egc_method method = method_of(refused[i].method, refused[i].settings);
        egc_error err = {0};
        assert_fails(egc_merger_check(&method, refused[i].rule, &err), err, EGC_ERROR_UNSUPPORTED,
                     refused[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging__sums_are_sums),
        cmocka_unit_test(merging__the_largest_are_kept),
        cmocka_unit_test(merging__parts_make_up_the_whole),
        cmocka_unit_test(merging__thresholds_are_made_and_used),
        cmocka_unit_test(merging__what_is_dropped_stays),
        cmocka_unit_test(merging__dropped_momentum_goes_on),
        cmocka_unit_test(merging__damage_is_refused),
        cmocka_unit_test(merging__sums_overflow_loudly),
        cmocka_unit_test(merging__what_cannot_be_merged_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
