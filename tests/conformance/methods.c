/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every method with every memory and value codec, over several steps and several units: what was
 * sent and what stays behind make up what came in, and the receiver gets what the sender thinks. */
#include "support/test.h"

#include "compressors/egc.h"
#include "support/inputs.h"

enum { N = 200, STEPS = 12 };
static const egc_unit units[] = {{.name = "a", .first = 0, .count = 1},
                                 {.name = "b", .first = 1, .count = 33},
                                 {.name = "c", .first = 34, .count = 166}};
enum { N_UNITS = 3 };
static egc_workspace *workspace; /* of all tests */

static void set_word(egc_method *method, const char *key, const char *word)
{
    egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = word};
    egc_error err = {0};
    assert_ok(egc_method_set(method, key, &scalar, &err), err);
}

static void make_gradient(float *g, uint64_t step, int family)
{
    for (int u = 0; u < N_UNITS; u++)
        fill_input(g + units[u].first, units[u].count, family, 100 + step);
}

static void encode_all(egc_encoder *encoder, uint64_t step, const float *g, egc_buf *wire,
                       egc_encoding *encodings)
{
    egc_error err = {0};
    egc_gradient_check check;
    egc_buf_clear(wire);
    assert_ok(egc_encoder_step(encoder, step, g, &check, &err), err);
    assert_ok(egc_encoder_begin(encoder, 0, N_UNITS, wire, &err), err);
    for (size_t u = 0; u < N_UNITS; u++)
        assert_ok(egc_encoder_encode(encoder, u, wire, &encodings[u], &err), err);
}

/* What the memory would hold had nothing been sent, by the definitions of egc.md. */
static void reference_compensate(const egc_method *method, const float *g, float *u, float *v)
{
    const char *memory = egc_memory_types()[method->options.memory]->name;
    for (size_t i = 0; i < N; i++) {
        if (strcmp(memory, "momentum") == 0) {
            u[i] = method->options.nesterov ? 0.9f * (u[i] + g[i]) : 0.9f * u[i] + g[i];
            v[i] += method->options.nesterov ? u[i] + g[i] : u[i];
        } else {
            v[i] = (strcmp(memory, "none") == 0 ? 0 : v[i]) + g[i];
        }
    }
}

static bool value_is_exact(const egc_method *method)
{
    return !method->compressor->select ||
           strcmp(egc_value_codecs()[method->options.value]->name, "fp32") == 0;
}

/* Bit for bit when values are exact, within a rounding otherwise. */
static void check_conservation(const egc_method *method, int family)
{
    egc_encoder *encoder;
    egc_decoder *decoder;
    egc_error err = {0};
    assert_ok(egc_encoder_new(method, 0.9, 1, units, N_UNITS, 1, workspace, &encoder, &err), err);
    assert_ok(egc_decoder_new(method, 0.9, units, N_UNITS, workspace, &decoder, &err), err);
    float g[N], u[N] = {0}, v[N] = {0};
    egc_buf wire = {0};
    for (uint64_t step = 0; step < STEPS; step++) {
        egc_encoding encodings[N_UNITS];
        float decoded[N] = {0};
        make_gradient(g, step, family);
        reference_compensate(method, g, u, v);
        encode_all(encoder, step, g, &wire, encodings);
        assert_ok(egc_decoder_add(decoder, 0, N_UNITS, wire.data, wire.len, 1, decoded, &err), err);
        const float *residual = egc_encoder_residual(encoder);
        for (size_t i = 0; i < N; i++) {
            float kept = residual ? residual[i] : v[i] - decoded[i];
            if (value_is_exact(method))
                assert_true(decoded[i] == 0 ? kept == v[i] : kept == 0 && decoded[i] == v[i]);
            else
                assert_true(fabs((double)decoded[i] + kept - v[i]) <=
                            1e-7 * (fabs(v[i]) + fabs(decoded[i])) + 1e-44);
            v[i] = kept;
            if (decoded[i] != 0 && method->options.masking && method->compressor->select)
                u[i] = 0;
        }
        const float *velocity = egc_encoder_velocity(encoder);
        for (size_t i = 0; velocity && i < N; i++) {
            /* an element sent as 0 (fp16 of a tiny value) is masked, and cannot be told here */
            assert_true(velocity[i] == u[i] || (decoded[i] == 0 && !value_is_exact(method)));
            u[i] = velocity[i];
        }
    }
    egc_buf_fini(&wire);
    egc_encoder_free(encoder);
    egc_decoder_free(decoder);
}

static void for_all_methods(void (*check)(const egc_method *, int))
{
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++)
        for (const egc_memory_type *const *memory = egc_memory_types(); *memory; memory++)
            for (const egc_value_codec *const *value = egc_value_codecs(); *value; value++)
                for (int masking = 0; masking < 2; masking++) {
                    egc_method method;
                    egc_error err = {0};
                    assert_ok(egc_method_init(&method, (*type)->name, &err), err);
                    set_word(&method, "memory", (*memory)->name);
                    set_word(&method, "value", (*value)->name);
                    set_word(&method, "masking", masking ? "true" : "false");
                    if (egc_method_check(&method, &err) != EGC_OK)
                        continue;
                    for (int family = 0; family < N_FAMILIES; family++)
                        check(&method, family);
                    if ((*memory)->has_velocity) {
                        set_word(&method, "nesterov", "true");
                        check(&method, GAUSSIAN);
                    }
                }
}

static void sent_and_residual_make_up_the_input(void **state)
{
    (void)state;
    for_all_methods(check_conservation);
}

/* The statistics of an encoding are those of its bytes. */
static void check_statistics(const egc_method *method, int family)
{
    egc_encoder *encoder;
    egc_decoder *decoder;
    egc_error err = {0};
    assert_ok(egc_encoder_new(method, 0.9, 1, units, N_UNITS, 1, workspace, &encoder, &err), err);
    assert_ok(egc_decoder_new(method, 0.9, units, N_UNITS, workspace, &decoder, &err), err);
    float g[N], decoded[N] = {0};
    egc_buf wire = {0};
    egc_encoding encodings[N_UNITS];
    make_gradient(g, 0, family);
    encode_all(encoder, 0, g, &wire, encodings);
    assert_ok(egc_decoder_add(decoder, 0, N_UNITS, wire.data, wire.len, 1, decoded, &err), err);
    size_t bytes = egc_method_is_linear(method) ? 0 : 2;
    for (size_t u = 0; u < N_UNITS; u++) {
        size_t nonzero = 0;
        double sent2 = 0;
        for (size_t i = units[u].first; i < units[u].first + units[u].count; i++) {
            nonzero += decoded[i] != 0;
            sent2 += (double)decoded[i] * (double)decoded[i];
        }
        bytes += encodings[u].wire_bytes;
        assert_true(encodings[u].sent >= nonzero && encodings[u].sent <= units[u].count);
        assert_close(encodings[u].sent_norm2, sent2, 1e-12);
        assert_true(encodings[u].staleness == 0); /* nothing waited yet */
    }
    assert_int_equal(wire.len, bytes);
    /* Another method's or another shape's message is refused, and so is every truncation. */
    if (!egc_method_is_linear(method))
        assert_int_equal(egc_decoder_add(decoder, 0, 2, wire.data, wire.len, 1, decoded, &err),
                         EGC_ERROR_FORMAT);
    for (size_t len = 0; len < wire.len; len++)
        assert_int_equal(egc_decoder_add(decoder, 0, N_UNITS, wire.data, len, 1, decoded, &err),
                         EGC_ERROR_FORMAT);
    egc_buf_fini(&wire);
    egc_encoder_free(encoder);
    egc_decoder_free(decoder);
}

static void statistics_are_those_of_the_bytes(void **state)
{
    (void)state;
    for_all_methods(check_statistics);
}

/* An all-zero gradient gives a legal message that carries nothing. */
static void empty_messages(void **state)
{
    (void)state;
    egc_method method;
    egc_error err = {0};
    egc_encoder *encoder;
    float zeros[N] = {0};
    egc_buf wire = {0};
    egc_encoding encodings[N_UNITS];
    assert_ok(egc_method_init(&method, "egc", &err), err);
    assert_ok(egc_encoder_new(&method, 0.9, 1, units, N_UNITS, 1, workspace, &encoder, &err), err);
    encode_all(encoder, 0, zeros, &wire, encodings);
    assert_int_equal(wire.len, 2 + 2 * N_UNITS);
    for (int u = 0; u < N_UNITS; u++)
        assert_int_equal(encodings[u].sent, 0);
    egc_encoder_free(encoder);
    egc_buf_fini(&wire);
}

/* An element sent at step 3 for the first time waited (4 - 1) / 2 steps in the mean. */
static void staleness_by_hand(void **state)
{
    (void)state;
    egc_method method;
    egc_error err = {0};
    egc_encoder *encoder;
    egc_buf wire = {0};
    egc_encoding e[N_UNITS];
    assert_ok(egc_method_init(&method, "threshold", &err), err);
    egc_scalar tau = {.kind = EGC_SCALAR_NUMBER, .number = 3.5};
    assert_ok(egc_method_set(&method, "tau", &tau, &err), err);
    assert_ok(egc_encoder_new(&method, 0.9, 1, units, N_UNITS, 1, workspace, &encoder, &err), err);
    float g[N] = {1}; /* the residual passes 3.5 at the fourth step */
    for (uint64_t step = 0; step < 4; step++) {
        encode_all(encoder, step, g, &wire, e);
        assert_int_equal(e[0].sent, step == 3);
    }
    assert_true(e[0].sent_norm1 == 4 && e[0].staleness == 4 * 1.5);
    egc_encoder_free(encoder);
    egc_buf_fini(&wire);
}

/* ---- NaN and Inf ---------------------------------------------------------------------------- */

static void nonfinite_options(void **state)
{
    (void)state;
    egc_method method;
    egc_error err = {0};
    egc_encoder *encoder;
    egc_gradient_check check;
    egc_buf wire = {0};
    egc_encoding e[N_UNITS];
    float g[N];
    make_gradient(g, 0, GAUSSIAN);
    assert_ok(egc_method_init(&method, "egc", &err), err);

    assert_ok(egc_encoder_new(&method, 0.9, 1, units, N_UNITS, 1, workspace, &encoder, &err), err);
    g[40] = NAN, g[41] = INFINITY, g[42] = -INFINITY;
    assert_fails(egc_encoder_step(encoder, 0, g, &check, &err), err, EGC_ERROR_NONFINITE,
                 "c: gradient has 1 NaN and 2 Inf among 166 elements");
    egc_encoder_free(encoder);

    set_word(&method, "nonfinite", "zero");
    assert_ok(egc_encoder_new(&method, 0.9, 1, units, N_UNITS, 1, workspace, &encoder, &err), err);
    assert_ok(egc_encoder_step(encoder, 0, g, &check, &err), err);
    assert_int_equal(check.nan_count, 1);
    assert_int_equal(check.inf_count, 2);
    encode_all(encoder, 0, g, &wire, e);
    assert_true(egc_encoder_residual(encoder)[40] == 0 && e[2].sent > 0);
    egc_encoder_free(encoder);

    set_word(&method, "nonfinite", "skip");
    assert_ok(egc_encoder_new(&method, 0.9, 1, units, N_UNITS, 1, workspace, &encoder, &err), err);
    float clean[N], before[N];
    make_gradient(clean, 0, GAUSSIAN);
    encode_all(encoder, 0, clean, &wire, e);
    memcpy(before, egc_encoder_residual(encoder), sizeof before);
    encode_all(encoder, 1, g, &wire, e);
    assert_int_equal(wire.len, 2 + 2 * N_UNITS);
    assert_memory_equal(egc_encoder_residual(encoder), before, sizeof before);
    egc_encoder_free(encoder);
    egc_buf_fini(&wire);
}

/* Clipping: P workers share the limit, each taking 1/sqrt(P). A gradient of norm 5 and limit 2 for
 * 4 workers is scaled by 1/5. */
static void clipping_shares_the_limit(void **state)
{
    (void)state;
    egc_method method;
    egc_error err = {0};
    egc_encoder *encoder;
    egc_buf wire = {0};
    egc_encoding e[N_UNITS];
    float g[N] = {0}, sum[N] = {0};
    g[1] = 3, g[2] = -4;
    egc_scalar limit = {.kind = EGC_SCALAR_NUMBER, .number = 2};
    assert_ok(egc_method_init(&method, "none", &err), err);
    assert_ok(egc_method_set(&method, "clip", &limit, &err), err);
    assert_ok(egc_encoder_new(&method, 0.9, 4, units, N_UNITS, 1, workspace, &encoder, &err), err);
    encode_all(encoder, 0, g, &wire, e);
    memcpy(sum, wire.data, wire.len);
    assert_close(sum[1], 0.6, 1e-6);
    assert_close(sum[2], -0.8, 1e-6);
    egc_encoder_free(encoder);
    egc_buf_fini(&wire);
}

/* ---- combinations that make no sense -------------------------------------------------------- */

static void nonsense_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *method, *key, *value, *message;
    } rows[] = {
        {"topk", "nesterov", "true", "nesterov needs memory = \"momentum\", got \"residual\""},
        {"egc", "warmup", "100",
         "warmup needs a compressor that aims at a ratio; maxentropy does not"},
        {"none", "value", "fp16", "none writes its own bytes and takes no index or value codec"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        egc_method method;
        egc_error err = {0};
        assert_ok(egc_method_init(&method, rows[i].method, &err), err);
        set_word(&method, rows[i].key, rows[i].value);
        assert_fails(egc_method_check(&method, &err), err, EGC_ERROR_UNSUPPORTED, rows[i].message);
    }
}

static void wrong_values_say_what_is_valid(void **state)
{
    (void)state;
    const struct {
        const char *method, *key, *value;
        egc_status status;
        const char *message;
    } rows[] = {
        {"topk", "ratio", "1.5", EGC_ERROR_RANGE, "must be in (0, 1], got \"1.5\""},
        {"topk", "ratio", "0", EGC_ERROR_RANGE, "must be in (0, 1], got \"0\""},
        {"topk", "ratio", "lots", EGC_ERROR_FORMAT, "must be a number, got \"lots\""},
        {"egc", "stages", "2.5", EGC_ERROR_RANGE, "must be a whole number in [1, 16], got \"2.5\""},
        {"egc", "value", "fp8", EGC_ERROR_RANGE,
         "must be \"fp32\", \"fp16\" or \"sign_mean\", got \"fp8\""},
        {"threshold", "ratio", "0.1", EGC_ERROR_NAME,
         "unknown key \"ratio\" for threshold; valid: tau, memory, momentum, masking, nesterov, "
         "index, value, granularity, min_elements, warmup, clip, lr_correction, lr_smoothing, "
         "nonfinite"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        egc_method method;
        egc_error err = {0};
        egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = rows[i].value};
        assert_ok(egc_method_init(&method, rows[i].method, &err), err);
        assert_fails(egc_method_set(&method, rows[i].key, &value, &err), err, rows[i].status,
                     rows[i].message);
    }
    egc_method method;
    egc_error err;
    assert_fails(egc_method_init(&method, "topkk", &err), err, EGC_ERROR_NAME,
                 "unknown method \"topkk\"; valid: none, topk, threshold, maxentropy, egc, dgc");
}

static int make_workspace(void **state)
{
    (void)state;
    return egc_workspace_new(166, &workspace, NULL);
}

static int free_workspace(void **state)
{
    (void)state;
    egc_workspace_free(workspace);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sent_and_residual_make_up_the_input),
        cmocka_unit_test(statistics_are_those_of_the_bytes),
        cmocka_unit_test(empty_messages),
        cmocka_unit_test(staleness_by_hand),
        cmocka_unit_test(nonfinite_options),
        cmocka_unit_test(clipping_shares_the_limit),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(wrong_values_say_what_is_valid),
    };
    return cmocka_run_group_tests(tests, make_workspace, free_workspace);
}
