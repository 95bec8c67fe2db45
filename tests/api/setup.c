/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public interface before the first step: versions, listings, setups and their refusals. */
#include "compressors/egc.h"
#include "support/core.h"
#include "support/test.h"

static egc_setup *setup_of(const char *method, const char *parameters)
{
    egc_setup *setup = NULL;
    egc_error err = {0};
    assert_ok(egc_setup_new(method, parameters, &setup, &err), err);
    return setup;
}

static void setup__version(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", EGC_VERSION_MAJOR, EGC_VERSION_MINOR,
             EGC_VERSION_PATCH);
    assert_string_equal(text, EGC_VERSION_TEXT);
    assert_int_equal(egc_version(), EGC_VERSION_NUMBER);
    assert_int_equal(EGC_VERSION(1, 2, 3), 10203);
}

/* The listings are the registries, presets last among methods. */
static void setup__listings(void **state)
{
    (void)state;
    egc_description entry;
    size_t n = 0;
    for (; egc_compressor_types()[n]; n++) {
        assert_true(egc_listing_get(EGC_LISTING_METHODS, n, &entry));
        assert_string_equal(entry.name, egc_compressor_types()[n]->name);
        assert_string_equal(entry.size, egc_compressor_types()[n]->size);
    }
    assert_true(egc_listing_get(EGC_LISTING_METHODS, n, &entry));
    assert_string_equal(entry.name, "egc");
    assert_non_null(strstr(entry.summary, "our reading"));
    assert_non_null(strstr(entry.size, "|x_i| >= lo")); /* of its compressor, maxentropy */
    assert_false(egc_listing_get(EGC_LISTING_METHODS, n + 1, &entry));
    for (n = 0; egc_error_feedback_types()[n]; n++) {
        assert_true(egc_listing_get(EGC_LISTING_ERROR_FEEDBACK, n, &entry));
        assert_string_equal(entry.formula, egc_error_feedback_types()[n]->formula);
    }
    assert_false(egc_listing_get(EGC_LISTING_ERROR_FEEDBACK, n, &entry));
    assert_true(egc_listing_get(EGC_LISTING_INDEX_CODECS, EGC_N_INDEX_CODECS - 1, &entry));
    assert_false(egc_listing_get(EGC_LISTING_INDEX_CODECS, EGC_N_INDEX_CODECS, &entry));
    assert_true(egc_listing_get(EGC_LISTING_VALUE_CODECS, EGC_N_VALUE_CODECS - 1, &entry));
    assert_false(egc_listing_get(EGC_LISTING_VALUE_CODECS, EGC_N_VALUE_CODECS, &entry));
    assert_false(egc_listing_get((egc_listing)4, 0, &entry));
}

static egc_method_parameter find_parameter(egc_setup *setup, const char *name)
{
    egc_method_parameter p;
    egc_error err = {0};
    for (size_t i = 0; i < egc_setup_parameters(setup); i++) {
        assert_ok(egc_setup_parameter(setup, i, &p, &err), err);
        if (strcmp(p.name, name) == 0)
            return p;
    }
    fail_msg("no parameter %s", name);
    return p;
}

/* The initial value is that of the preset, not of its compressor. */
static void setup__parameters(void **state)
{
    (void)state;
    egc_error err = {0};
    egc_setup *setup = setup_of("egc", "stages=2");
    egc_method_parameter p = find_parameter(setup, "stages");
    assert_string_equal(p.initial, "3");
    assert_string_equal(p.value, "2");
    p = find_parameter(setup, "granularity");
    assert_string_equal(p.initial, "bucket");
    assert_string_equal(p.valid, "\"layer\", \"bucket\" or \"model\"");
    assert_ok(egc_setup_set(setup, "granularity", "layer", &err), err);
    assert_string_equal(find_parameter(setup, "granularity").value, "layer");
    size_t n = egc_setup_parameters(setup);
    assert_int_equal(egc_setup_parameter(setup, n, &p, &err), EGC_ERROR_RANGE);
    assert_true(egc_setup_has_momentum(setup));
    assert_ok(egc_setup_set(setup, "memory", "residual", &err), err);
    assert_false(egc_setup_has_momentum(setup));
    egc_setup_free(setup);
}

static void setup__text(void **state)
{
    (void)state;
    egc_error err;
    egc_setup *setup = setup_of("topk", "; ratio=0.5 ;;value=fp16;");
    assert_string_equal(find_parameter(setup, "ratio").value, "0.5");
    assert_fails(egc_setup_set(setup, "ratio", "2", &err), err, EGC_ERROR_RANGE,
                 "ratio: must be in (0, 1], got \"2\"");
    assert_string_equal(find_parameter(setup, "ratio").value, "0.5");
    egc_setup_free(setup);
    setup = NULL;
    assert_fails(egc_setup_new("topk", "ratio", &setup, &err), err, EGC_ERROR_FORMAT,
                 "parameters must be \"key=value;...\", got \"ratio\"");
    assert_int_equal(egc_setup_new("topk", "rate=1", &setup, &err), EGC_ERROR_NAME);
    assert_non_null(strstr(err.message, "unknown key \"rate\" for topk; valid: ratio, "));
    assert_int_equal(egc_setup_new("topq", NULL, &setup, NULL), EGC_ERROR_NAME);
    assert_null(setup);
}

static void refuse_layers(egc_setup *setup, egc_model_layer second, const char *message)
{
    egc_error err;
    const egc_model_layer layers[] = {{"a", 6, 2, 0}, second};
    assert_fails(egc_setup_layers(setup, layers, 2, &err), err, EGC_ERROR_RANGE, message);
}

static void setup__layers(void **state)
{
    (void)state;
    egc_error err;
    egc_setup *setup = setup_of("none", NULL);
    refuse_layers(setup, (egc_model_layer){"b", 0, 0, 0},
                  "layer 1: elements must be in [1, 4294967295], got 0");
    refuse_layers(setup, (egc_model_layer){"b", 5, 2, 0},
                  "layer 1: rows must divide the 5 elements, got 2");
    refuse_layers(setup, (egc_model_layer){"b", 5, 0, 2},
                  "layer 1: bucket must be 0 or the next, got 2");
    refuse_layers(setup, (egc_model_layer){"b", UINT32_MAX, 0, 0},
                  "layer 1: bucket 0 must have at most 4294967295 elements, got 4294967301");
    assert_fails(egc_setup_layers(setup, NULL, 0, &err), err, EGC_ERROR_RANGE,
                 "layers must be at least 1, got 0");
    assert_fails(egc_setup_workers(setup, 0, 1, &err), err, EGC_ERROR_RANGE,
                 "workers must be at least 1, got 0");
    const egc_model_layer late = {"a", 6, 0, 1};
    assert_fails(egc_setup_layers(setup, &late, 1, &err), err, EGC_ERROR_RANGE,
                 "layer 0: bucket must be 0, got 1");
    egc_setup_free(setup);
}

static void refuse_worker(const char *method, const char *parameters, size_t rank,
                          egc_status status, const char *message)
{
    egc_error err = {0};
    egc_worker *worker = NULL;
    egc_setup *setup = setup_of(method, parameters);
    const egc_model_layer layers[] = {{"a", 6, 2, 0}, {NULL, 4, 0, 1}};
    assert_ok(egc_setup_layers(setup, layers, 2, &err), err);
    assert_fails(egc_worker_new(setup, rank, NULL, &worker, &err), err, status, message);
    assert_null(worker);
    egc_setup_free(setup);
}

static void setup__workers(void **state)
{
    (void)state;
    egc_error err;
    egc_worker *worker = NULL;
    refuse_worker("topk", NULL, 1, EGC_ERROR_RANGE, "rank must be below the 1 workers, got 1");
    refuse_worker("topk", "granularity=model", 0, EGC_ERROR_UNSUPPORTED,
                  "granularity = \"model\" needs all layers in bucket 0");
    refuse_worker("signsgd", "memory=none", EGC_RECEIVER, EGC_ERROR_UNSUPPORTED,
                  "signsgd gives each worker a shard, which a receiver has not");
    egc_setup *setup = setup_of("topk", "nesterov=true");
    const egc_model_layer layer = {NULL, 6, 2, 0};
    assert_fails(egc_worker_new(setup, 0, NULL, &worker, &err), err, EGC_ERROR_RANGE,
                 "no layers: egc_setup_layers comes first");
    assert_int_equal(egc_setup_layers(setup, &layer, 1, NULL), EGC_OK);
    assert_int_equal(egc_worker_new(setup, 0, NULL, &worker, &err), EGC_ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "nesterov needs memory = \"momentum\""));
    egc_setup_free(setup);
}

static void setup__vector(void **state)
{
    (void)state;
    egc_error err;
    egc_vector *v = NULL;
    assert_fails(egc_vector_new("powersgd", NULL, 6, 0, 1, &v, &err), err, EGC_ERROR_UNSUPPORTED,
                 "the method takes 2 rounds a step; use egc_worker_new");
    assert_fails(egc_vector_new("topk", NULL, 6, EGC_RECEIVER, 1, &v, &err), err, EGC_ERROR_RANGE,
                 "a vector needs a rank; use egc_worker_new");
    assert_fails(egc_vector_new("topk", NULL, 0, 0, 1, &v, &err), err, EGC_ERROR_RANGE,
                 "layer 0: elements must be in [1, 4294967295], got 0");
    assert_null(v);
    egc_vector_free(NULL);
    egc_worker_free(NULL);
    egc_setup_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setup__version),    cmocka_unit_test(setup__listings),
        cmocka_unit_test(setup__parameters), cmocka_unit_test(setup__text),
        cmocka_unit_test(setup__layers),     cmocka_unit_test(setup__workers),
        cmocka_unit_test(setup__vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
