/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setups: method, parameters, layers and number of workers, checked as they are given, so that the
 * error names the wrong argument. */
#include "compressors/api/setup.h"

#include <string.h>

#include "base/mem.h"

/* ---- life ------------------------------------------------------------------------------------ */

egc_status egc_setup_new(const char *method, const char *parameters, egc_setup **out,
                         egc_error *err)
{
    egc_setup *s = egc_calloc(1, sizeof *s);
    if (!s)
        return egc_fail_memory(err, sizeof *s);
    s->n_workers = s->seed = 1;
    egc_status status = egc_method_init(&s->method, method, err);
    if (!status)
        status = egc_method_set_all(&s->method, parameters, err);
    if (status) {
        egc_setup_free(s);
        return status;
    }
    *out = s;
    return EGC_OK;
}

void egc_setup_free(egc_setup *setup)
{
    if (!setup)
        return;
    egc_arena_fini(&setup->arena);
    egc_buf_fini(&setup->text);
    egc_free(setup);
}

/* ---- parameters ------------------------------------------------------------------------------ */

egc_status egc_setup_set(egc_setup *setup, const char *key, const char *value, egc_error *err)
{
    return egc_method_set_text(&setup->method, key, value, err);
}

static size_t rows_of(const egc_param *table)
{
    size_t n = 0;
    while (table && table[n].name)
        n++;
    return n;
}

size_t egc_setup_parameters(const egc_setup *setup)
{
    return rows_of(setup->method.compressor->params) + rows_of(egc_method_option_params);
}

/* Appends the value of a row in `object`, or its valid range where that is NULL, and a terminator.
 * Returns where the text begins. */
static size_t append_text(const egc_param *row, const void *object, egc_buf *text)
{
    size_t start = text->len;
    if (object)
        egc_param_format(row, object, text);
    else
        egc_param_range(row, text);
    egc_buf_put(text, "", 1);
    return start;
}

egc_status egc_setup_parameter(egc_setup *setup, size_t i, egc_method_parameter *out,
                               egc_error *err)
{
    const egc_method *method = &setup->method;
    size_t n_own = rows_of(method->compressor->params), n = egc_setup_parameters(setup);
    if (i >= n)
        return egc_fail(err, EGC_ERROR_RANGE, "parameter must be below %zu, got %zu", n, i);
    bool own = i < n_own;
    const egc_param *row =
        own ? &method->compressor->params[i] : &egc_method_option_params[i - n_own];
    egc_method usual;
    egc_buf *text = &setup->text;
    egc_status status = egc_method_init(&usual, method->name, err);
    if (status)
        return status;
    egc_buf_clear(text);
    size_t valid = append_text(row, NULL, text);
    size_t initial = append_text(row, own ? (void *)usual.params : &usual.options, text);
    size_t value = append_text(row, own ? (const void *)method->params : &method->options, text);
    status = egc_buf_check(text, err);
    if (status)
        return status;
    const char *texts = (const char *)text->data;
    *out =
        (egc_method_parameter){row->name, row->help, texts + valid, texts + initial, texts + value};
    return EGC_OK;
}

bool egc_setup_has_momentum(const egc_setup *setup)
{
    return egc_method_has_momentum(&setup->method);
}

/* ---- workers and layers ---------------------------------------------------------------------- */

egc_status egc_setup_workers(egc_setup *setup, size_t n_workers, uint64_t seed, egc_error *err)
{
    if (n_workers == 0)
        return egc_fail(err, EGC_ERROR_RANGE, "workers must be at least 1, got 0");
    setup->n_workers = n_workers;
    setup->seed = seed;
    return EGC_OK;
}

/* Elements fit 32-bit indices, which codecs use; *in_bucket counts those of the layer's bucket. */
static egc_status check_layer(const egc_model_layer *layer, const egc_model_layer *before,
                              size_t *in_bucket, egc_error *err)
{
    size_t expected = before ? before->bucket : 0, n = layer->elements;
    if (n == 0 || n > UINT32_MAX)
        return egc_fail(err, EGC_ERROR_RANGE, "elements must be in [1, 4294967295], got %zu", n);
    if (layer->rows && n % layer->rows)
        return egc_fail(err, EGC_ERROR_RANGE, "rows must divide the %zu elements, got %zu", n,
                        layer->rows);
    if (layer->bucket != expected && !(before && layer->bucket == expected + 1))
        return egc_fail(err, EGC_ERROR_RANGE, "bucket must be %zu%s, got %zu", expected,
                        before ? " or the next" : "", layer->bucket);
    *in_bucket = layer->bucket == expected ? *in_bucket + n : n;
    if (*in_bucket > UINT32_MAX)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "bucket %zu must have at most 4294967295 elements, got %zu", layer->bucket,
                        *in_bucket);
    return EGC_OK;
}

static egc_status check_layers(const egc_model_layer *layers, size_t n_layers, egc_error *err)
{
    if (n_layers == 0)
        return egc_fail(err, EGC_ERROR_RANGE, "layers must be at least 1, got 0");
    size_t in_bucket = 0;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n_layers && !status; i++) {
        status = check_layer(&layers[i], i ? &layers[i - 1] : NULL, &in_bucket, err);
        if (status)
            egc_error_prefix(err, "layer %zu", i);
    }
    return status;
}

egc_status egc_setup_layers(egc_setup *setup, const egc_model_layer *layers, size_t n_layers,
                            egc_error *err)
{
    egc_status status = check_layers(layers, n_layers, err);
    if (status)
        return status;
    egc_arena arena = {0};
    egc_model_layer *copy = egc_arena_alloc(&arena, n_layers * sizeof *copy);
    bool complete = copy;
    for (size_t i = 0; i < n_layers && complete; i++) {
        copy[i] = layers[i];
        copy[i].name = layers[i].name ? egc_arena_printf(&arena, "%s", layers[i].name)
                                      : egc_arena_printf(&arena, "layer %zu", i);
        complete = copy[i].name;
    }
    if (!complete) {
        egc_arena_fini(&arena);
        return egc_fail_memory(err, n_layers * sizeof *copy);
    }
    egc_arena_fini(&setup->arena);
    setup->arena = arena;
    setup->layers = copy;
    setup->n_layers = n_layers;
    return EGC_OK;
}
