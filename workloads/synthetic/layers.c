/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parameter tables of `synthetic`, and the layers and settings that they or a profile give. */
#include "workloads/synthetic/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workloads/profiles/profile.h"

/* ---- parameters ------------------------------------------------------------------------------ */

#define USUAL_BATCH (-1) /* "usual" as egc_param stores it */

static const char *const usual[] = {"usual", NULL};
static const char *const row_distributions[] = {
    "same",      "laplace", "gaussian",           "generalized-gaussian",
    "student-t", "weibull", "generalized-pareto", "mixture",
    NULL,
};
_Static_assert(sizeof row_distributions / sizeof *row_distributions == EGC_N_DISTRIBUTIONS + 2,
               "a row may have any distribution, or the workload's");

/* Rows that a layer and the workload share. A layer without a value takes the workload's. */
#define LAW_ROWS(type, scale_default, rest_default)                                                \
    EGC_PARAM(type, scale, REAL, "scale",                                                          \
              "unit of magnitudes; the standard deviation of a gaussian", .def = (scale_default),  \
              .max = 1e6, .flags = EGC_PARAM_OPEN_MIN),                                            \
        EGC_PARAM(type, shape, REAL, "shape",                                                      \
                  "b of the distribution; unset: 0.7 (generalized-gaussian, weibull), 3 "          \
                  "(student-t), 0.2 (generalized-pareto), 10 (mixture)",                           \
                  .def = NAN, .min = -1, .max = 1e6),                                              \
        EGC_PARAM(type, mix, REAL, "mix",                                                          \
                  "share of a mixture that is `shape` times as wide; unset: 0.1", .def = NAN,      \
                  .max = 1),                                                                       \
        EGC_PARAM(type, zeros, REAL, "zeros", "share of values that are exactly 0",                \
                  .def = (rest_default), .max = 1),                                                \
        EGC_PARAM(type, worker_correlation, REAL, "worker_correlation",                            \
                  "correlation between two workers, of the normal variables behind the values",    \
                  .def = (rest_default), .max = 1),                                                \
        EGC_PARAM(type, time_correlation, REAL, "time_correlation",                                \
                  "the same between consecutive steps", .def = (rest_default), .max = 1),          \
        EGC_PARAM(type, decay, REAL, "decay", "scale of the last step / scale of the first",       \
                  .def = (rest_default) == 0 ? 1 : NAN, .max = 1e6, .flags = EGC_PARAM_OPEN_MIN)

#define COST_ROW(field, text, unit, default_value)                                                 \
    EGC_PARAM(egc_synthetic_row, field, REAL, #field, text, .quantity = unit,                      \
              .def = default_value, .max = INFINITY)

const egc_param egc_synthetic_layers_row_params[] = {
    EGC_PARAM(egc_synthetic_row, name, TEXT, "name", "name of the tensor", .def_text = ""),
    EGC_PARAM(egc_synthetic_row, dims, TEXT, "dims", "dimensions, as in \"64x3x7x7\"",
              .def_text = ""),
    EGC_PARAM(egc_synthetic_row, distribution, CHOICE, "distribution",
              "distribution of nonzero values; same: the workload's", .def = 0,
              .choices = row_distributions),
    LAW_ROWS(egc_synthetic_row, NAN, NAN),
    COST_ROW(forward_flops, "FLOPs of the forward pass for one example", EGC_QUANTITY_NONE, 0),
    COST_ROW(backward_flops, "FLOPs of the backward pass for one example", EGC_QUANTITY_NONE, 0),
    COST_ROW(forward_s, "measured time of the forward pass for one example, instead of FLOPs",
             EGC_QUANTITY_TIME, NAN),
    COST_ROW(backward_s, "measured time of the backward pass for one example, instead of FLOPs",
             EGC_QUANTITY_TIME, NAN),
    EGC_PARAM_END,
};

static const egc_param_item row_item = {egc_synthetic_layers_row_params, sizeof(egc_synthetic_row)};

const egc_param egc_synthetic_layers_params[] = {
    EGC_PARAM(egc_synthetic_params, model, TEXT, "model",
              "a profile of `egc-sim list models`; with layers, a name for them", .def_text = ""),
    EGC_PARAM(egc_synthetic_params, layers, LIST, "layers",
              "layers instead of a profile's, a table for each; `egc-sim trace fit` writes them",
              .choices = EGC_PARAM_ITEMS(&row_item)),
    EGC_PARAM(egc_synthetic_params, distribution, CHOICE, "distribution",
              "distribution of nonzero values", .def = 0, .choices = egc_law_names),
    LAW_ROWS(egc_synthetic_params, 0.001, 0),
    EGC_PARAM(egc_synthetic_params, batch, INT, "batch",
              "examples per worker and step, for the time of computing; usual: the profile's, 1 "
              "with layers",
              .def = USUAL_BATCH, .min = 1, .max = 1e9, .choices = usual),
    EGC_PARAM_END,
};

static const egc_synthetic_row *rows_of(const egc_synthetic_params *params)
{
    return params->layers.items;
}

/* ---- settings -------------------------------------------------------------------------------- */

static double either(double first, double second)
{
    return isnan(first) ? second : first;
}

void egc_synthetic_layers_settings(const egc_synthetic_params *p, size_t i,
                                   egc_synthetic_settings *out)
{
    const egc_synthetic_row *row = p->layers.n ? &rows_of(p)[i] : NULL;
    bool own =
        row && row->distribution; /* then the workload's shape belongs to another distribution */
    egc_distribution distribution =
        (egc_distribution)(own ? row->distribution - 1 : p->distribution);
    double shape = own ? NAN : p->shape, mix = own ? NAN : p->mix;
    if (row) {
        shape = either(row->shape, shape);
        mix = either(row->mix, mix);
    }
    *out = (egc_synthetic_settings){
        .law = {distribution, p->scale, either(shape, egc_law_default_shape(distribution)),
                either(mix, egc_law_default_mix(distribution)), p->zeros},
        .worker_correlation = p->worker_correlation,
        .time_correlation = p->time_correlation,
        .decay = p->decay,
    };
    if (!row)
        return;
    out->law.scale = either(row->scale, out->law.scale);
    out->law.zeros = either(row->zeros, out->law.zeros);
    out->worker_correlation = either(row->worker_correlation, out->worker_correlation);
    out->time_correlation = either(row->time_correlation, out->time_correlation);
    out->decay = either(row->decay, out->decay);
}

/* Parses "64x3x7x7". False when the text is something else, or the product too large to count. */
static bool parse_dims(const char *text, egc_layer *layer)
{
    layer->count = 1;
    for (size_t d = 0; d < EGC_LAYER_DIMS; d++) {
        char *end;
        if (*text < '0' || *text > '9')
            return false;
        unsigned long long value = strtoull(text, &end, 10);
        if (value == 0 || value > SIZE_MAX ||
            __builtin_mul_overflow(layer->count, (size_t)value, &layer->count))
            return false;
        layer->shape[d] = (size_t)value;
        if (*end == '\0')
            return true;
        if (*end != 'x')
            return false;
        text = end + 1;
    }
    return false;
}

static egc_status check_row(const egc_synthetic_row *row, egc_layer *layer, egc_error *err)
{
    if (row->name[0] == '\0')
        return egc_fail(err, EGC_ERROR_RANGE, "name: is missing");
    if (!parse_dims(row->dims, layer))
        return egc_fail(err, EGC_ERROR_RANGE,
                        "dims: must be 1 to %d whole numbers from 1 on, as in \"64x3x7x7\", got "
                        "\"%s\"",
                        EGC_LAYER_DIMS, row->dims);
    return EGC_OK;
}

static egc_status check_rows(const egc_synthetic_params *p, egc_error *err)
{
    size_t total = 0;
    if (p->layers.n > EGC_SYNTHETIC_MAX_LAYERS)
        return egc_fail(err, EGC_ERROR_RANGE, "layers: must be at most %d, got %zu",
                        EGC_SYNTHETIC_MAX_LAYERS, p->layers.n);
    for (size_t i = 0; i < p->layers.n; i++) {
        egc_layer layer = {0};
        egc_synthetic_settings settings;
        egc_synthetic_layers_settings(p, i, &settings);
        egc_status status = check_row(&rows_of(p)[i], &layer, err);
        if (!status)
            status = egc_law_check(&settings.law, err);
        if (!status && __builtin_add_overflow(total, layer.count, &total))
            status = egc_fail(err, EGC_ERROR_RANGE, "dims: are too many to count");
        if (status)
            return egc_error_prefix(err, "layers[%zu]", i + 1);
    }
    return EGC_OK;
}

/* *out is the profile of `model`, NULL when layers are given. NAME. */
static egc_status find_profile(const egc_synthetic_params *p, const egc_profile **out,
                               egc_error *err)
{
    *out = NULL;
    if (p->layers.n)
        return EGC_OK;
    egc_status status = egc_profile_find(p->model, out, err);
    return status ? egc_error_prefix(err, "model") : EGC_OK;
}

egc_status egc_synthetic_layers_check(const void *params, egc_error *err)
{
    const egc_synthetic_params *p = params;
    const egc_profile *profile;
    egc_synthetic_settings settings;
    egc_status status = find_profile(p, &profile, err);
    if (!status && p->layers.n)
        return check_rows(p, err);
    egc_synthetic_layers_settings(p, 0, &settings);
    return status ? status : egc_law_check(&settings.law, err);
}

egc_status egc_synthetic_layers(const egc_synthetic_params *p, egc_layer **out, size_t *n,
                                egc_error *err)
{
    const egc_profile *profile;
    egc_status status = find_profile(p, &profile, err);
    if (status)
        return status;
    if (profile)
        return egc_profile_layers(profile, p->batch == USUAL_BATCH ? profile->batch : p->batch, out,
                                  n, err);
    double batch = p->batch == USUAL_BATCH ? 1 : (double)p->batch;
    egc_layer *layers = egc_calloc(p->layers.n, sizeof *layers);
    if (!layers)
        return egc_fail_memory(err, p->layers.n * sizeof *layers);
    for (size_t i = 0; i < p->layers.n; i++) {
        const egc_synthetic_row *row = &rows_of(p)[i];
        snprintf(layers[i].name, sizeof layers[i].name, "%s", row->name);
        parse_dims(row->dims, &layers[i]);
        layers[i].forward_flops = row->forward_flops * batch;
        layers[i].backward_flops = row->backward_flops * batch;
        layers[i].forward_s = row->forward_s * batch;
        layers[i].backward_s = row->backward_s * batch;
    }
    *out = layers;
    *n = p->layers.n;
    return EGC_OK;
}
