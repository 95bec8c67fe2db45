/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combinations that make no sense, and values that are not valid: each refused with the reason. */
#include "compressors/core/frame.h"
#include "support/method.h"

static void combinations__nonsense_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *method, *key, *value, *message;
    } rows[] = {
        {"topk", "nesterov", "true", "nesterov needs memory = \"momentum\", got \"residual\""},
        {"egc", "warmup", "100",
         "warmup needs a compressor that aims at a ratio; maxentropy does not"},
        {"none", "value", "fp16", "none writes its own bytes and takes no index or value codec"},
        {"redsync", "value", "mean",
         "value = \"mean\" gives every element the same value, and those of redsync differ"},
        {"randomk", "index", "raw",
         "all workers of randomk select the same elements and send no indices; leave index = "
         "\"auto\""},
        {"strom", "index", "bloom",
         "index = \"bloom\" moves values to other positions, and those of strom are not the "
         "elements' own"},
        {"strom", "lr_correction", "element",
         "lr_correction = \"element\" undoes what masking takes: it needs memory = \"momentum\" "
         "and masking"},
        {"signum", "memory", "momentum",
         "signum has momentum of its own, which memory = \"momentum\" would apply twice"},
        {"signsgd", "memory", "residual",
         "signsgd sends signs without a magnitude, which no residual could ever be paid off with; "
         "use memory = \"none\", or efsign"},
        {"signsgd", "nonfinite", "skip",
         "nonfinite = \"skip\" needs messages that can say nothing; those of signsgd are signs"},
        {"randomk", "scale", "true",
         "randomk sends more than there is, which a residual would pay back for ever; use memory = "
         "\"none\""},
        {"powersgd", "granularity", "model",
         "powersgd compresses matrices: it needs granularity = \"layer\""},
        {"topk", "predivide", "true",
         "predivide needs messages that are summed on their way; those of topk are decoded first"},
        {"powersgd", "predivide", "true",
         "predivide is for methods of one message; powersgd has rounds"},
        {"none", "entropy", "range",
         "entropy = \"range\" would make the messages of none impossible to sum; it needs a method "
         "whose messages are gathered"},
        {"topk", "bloom_rate", "0.1", "bloom_rate and bloom_policy need index = \"bloom\""},
        {"topk", "warmup_schedule", "exponential",
         "warmup_schedule needs warmup, the number of its steps"},
        {"topk", "low_pass", "0.5", "low_pass needs memory = \"lowpass\", got \"residual\""},
        {"none", "residual_decay", "0.5",
         "residual_decay needs a memory that keeps a residual, got \"none\""},
        {"none", "residual_lr", "rescale",
         "residual_lr = \"rescale\" needs a memory that keeps a residual, got \"none\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        egc_method method;
        egc_error err = {0};
        assert_ok(egc_method_init(&method, rows[i].method, &err), err);
        set_word(&method, rows[i].key, rows[i].value);
        assert_fails(egc_method_check(&method, &err), err, EGC_ERROR_UNSUPPORTED, rows[i].message);
    }
}

static void combinations__wrong_values_say_what_is_valid(void **state)
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
        {"egc", "granularity", "cell", EGC_ERROR_RANGE,
         "must be \"layer\", \"bucket\" or \"model\", got \"cell\""},
        {"threshold", "ratio", "0.1", EGC_ERROR_NAME,
         "unknown key \"ratio\" for threshold; valid: tau, memory, momentum, masking, nesterov, "
         "low_pass, residual_decay, residual_lr, index, value, bloom_rate, bloom_policy, entropy, "
         "predivide, granularity, min_elements, dense_vectors, warmup, warmup_schedule, clip, "
         "lr_scale, lr_correction, lr_smoothing, nonfinite"},
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
    const char *wanted = "unknown method \"topkk\"; valid: none, topk, ";
    assert_int_equal(egc_method_init(&method, "topkk", &err), EGC_ERROR_NAME);
    assert_memory_equal(err.message, wanted, strlen(wanted));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combinations__nonsense_is_refused),
        cmocka_unit_test(combinations__wrong_values_say_what_is_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
