/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of every method, presets, setting by key, and the properties that follow from the
 * parts of a method. */
#include "compressors/core/method.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/registry.h"
#include "base/text.h"

/* ---- options ------------------------------------------------------------------------------- */

#define EGC_ERROR_FEEDBACK(name) #name,
static const char *const error_feedback_words[] = {
#include "error_feedback/list.def"
    NULL};
#undef EGC_ERROR_FEEDBACK

#define EGC_INDEX_CODEC(name) #name,
#define EGC_VALUE_CODEC(name)
static const char *const index_words[] = {"auto",
#include "codec/list.def"
                                          NULL};
#undef EGC_INDEX_CODEC
#undef EGC_VALUE_CODEC

#define EGC_INDEX_CODEC(name)
#define EGC_VALUE_CODEC(name) #name,
static const char *const value_words[] = {
#include "codec/list.def"
    NULL};
#undef EGC_INDEX_CODEC
#undef EGC_VALUE_CODEC

static const char *const granularity_words[] = {"layer", "bucket", "model", NULL};
static const char *const correction_words[] = {"none", "layer", "element", NULL};
static const char *const warmup_words[] = {"ladder", "exponential", NULL};
static const char *const residual_lr_words[] = {"sent", "rescale", NULL};
static const char *const bloom_words[] = {"all", "leftmost", "conflicts", NULL};
static const char *const entropy_words[] = {"none", "range", NULL};
static const char *const nonfinite_words[] = {"error", "zero", "skip", NULL};

/* The default memory is residual: every biased compressor needs it to converge. */
const egc_param egc_method_option_params[] = {
    EGC_PARAM(egc_method_options, error_feedback, CHOICE, "memory",
              "what happens to a gradient before selection, and to what is not sent", .def = 1,
              .choices = error_feedback_words),
    EGC_PARAM(egc_method_options, momentum, REAL, "momentum",
              "momentum of memory = \"momentum\"; unset: the workload's, or 0.9", .def = NAN,
              .max = 1, .flags = EGC_PARAM_OPEN_MAX),
    EGC_PARAM(egc_method_options, masking, BOOL, "masking",
              "momentum factor masking: the velocity of what was sent restarts from 0", .def = 1),
    EGC_PARAM(egc_method_options, nesterov, BOOL, "nesterov",
              "Nesterov's form of memory = \"momentum\"", .def = 0),
    EGC_PARAM(egc_method_options, low_pass, REAL, "low_pass",
              "share of each change that memory = \"lowpass\" takes in", .def = 0.1, .max = 1,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_method_options, residual_decay, REAL, "residual_decay",
              "what the residual is multiplied by at every step", .def = 1, .max = 1),
    EGC_PARAM(egc_method_options, residual_lr, CHOICE, "residual_lr",
              "learning rate of a delayed gradient: in force when it is sent, or (rescale) "
              "when it arose",
              .def = 0, .choices = residual_lr_words),
    EGC_PARAM(egc_method_options, index, CHOICE, "index",
              "codec of the indices; auto: the smallest exact one for each message", .def = 0,
              .choices = index_words),
    EGC_PARAM(egc_method_options, value, CHOICE, "value", "codec of the values", .def = 0,
              .choices = value_words),
    EGC_PARAM(egc_method_options, bloom_rate, REAL, "bloom_rate",
              "false positives of index = \"bloom\"; 0: a tenth of the density", .max = 1,
              .flags = EGC_PARAM_OPEN_MAX),
    EGC_PARAM(egc_method_options, bloom_policy, CHOICE, "bloom_policy",
              "positives of the Bloom filter that get a value: all (P0), the leftmost k (P1), "
              "one of each conflict set (P2)",
              .def = 0, .choices = bloom_words),
    EGC_PARAM(egc_method_options, entropy, CHOICE, "entropy",
              "entropy coder over each message; range: unless that makes it longer", .def = 0,
              .choices = entropy_words),
    EGC_PARAM(egc_method_options, predivide, BOOL, "predivide",
              "divide by the number of workers before the sum, not after", .def = 0),
    EGC_PARAM(egc_method_options, granularity, CHOICE, "granularity",
              "what is compressed as one vector", .def = 0, .choices = granularity_words),
    EGC_PARAM(egc_method_options, min_elements, INT, "min_elements", "smaller units are sent dense",
              .max = 1e12),
    EGC_PARAM(egc_method_options, dense_vectors, BOOL, "dense_vectors",
              "layers of one dimension (biases, norms) are sent dense", .def = 0),
    EGC_PARAM(egc_method_options, warmup, INT, "warmup",
              "steps over which the density comes down to the ratio", .max = 1e12),
    EGC_PARAM(egc_method_options, warmup_curve, CHOICE, "warmup_schedule",
              "how: DGC's ladder 1/4, 1/16, ..., or ratio^(1/6), ratio^(2/6), ...", .def = 0,
              .choices = warmup_words),
    EGC_PARAM(egc_method_options, clip, REAL, "clip",
              "limit of the L2 norm over all workers, each taking its share 1/sqrt(P); 0: none",
              .max = INFINITY),
    EGC_PARAM(egc_method_options, lr_scale, REAL, "lr_scale",
              "factor on the workload's learning rate: what tuning found for this method", .def = 1,
              .max = INFINITY, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_method_options, lr_correction, CHOICE, "lr_correction",
              "undo what masking takes from the step size, by the density of a layer or by "
              "the wait of each element",
              .def = 0, .flags = EGC_PARAM_SWITCH, .choices = correction_words),
    EGC_PARAM(egc_method_options, lr_smoothing, REAL, "lr_smoothing",
              "weight of past steps in the density behind the correction", .def = 0.9, .max = 1,
              .flags = EGC_PARAM_OPEN_MAX),
    EGC_PARAM(egc_method_options, nonfinite, CHOICE, "nonfinite",
              "NaN or Inf in a gradient: end the run, treat as 0, or skip the worker's step",
              .def = 0, .choices = nonfinite_words),
    EGC_PARAM_END,
};

/* ---- presets ------------------------------------------------------------------------------- */

static const egc_method_preset preset_egc = {
    .name = "egc",
    .summary = "Entropy-based Gradient Compression, our reading of it",
    .reference = "IEEE 8855357, 2019; Information Sciences 2021, DOI 10.1016/j.ins.2020.05.121; "
                 "the paper's formulas were not available, so every part is our reading",
    .compressor = "maxentropy",
    .settings = "memory=momentum;masking=true;lr_correction=layer;index=auto;value=sign_mean;"
                "granularity=bucket",
};

static const egc_method_preset *const presets[] = {&preset_egc, NULL};

const egc_method_preset *const *egc_method_presets(void)
{
    return presets;
}

static const egc_method_preset *find_preset(const char *name)
{
    for (const egc_method_preset *const *preset = presets; *preset; preset++)
        if (strcmp((*preset)->name, name) == 0)
            return *preset;
    return NULL;
}

/* ---- making and setting -------------------------------------------------------------------- */

static egc_status unknown_method(const char *name, egc_error *err)
{
    const void *names[64];
    size_t n = 0;
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++)
        names[n++] = *type;
    for (const egc_method_preset *const *preset = presets; *preset; preset++)
        names[n++] = *preset;
    names[n] = NULL;
    assert(n < sizeof names / sizeof *names);
    return egc_registry_fail_unknown(err, "method", name, names);
}

egc_status egc_method_init(egc_method *method, const char *name, egc_error *err)
{
    const egc_method_preset *preset = find_preset(name);
    const egc_compressor_type *type;
    if (egc_compressor_find(preset ? preset->compressor : name, &type, NULL))
        return unknown_method(name, err);
    assert(type->params_size <= EGC_METHOD_PARAMS_MAX);
    *method = (egc_method){.name = preset ? preset->name : type->name, .compressor = type};
    egc_param_init(egc_method_option_params, &method->options);
    egc_param_init(type->params, method->params);
    egc_status status = egc_method_set_all(method, type->settings, err);
    return status ? status : egc_method_set_all(method, preset ? preset->settings : NULL, err);
}

egc_status egc_method_set(egc_method *method, const char *key, const egc_scalar *value,
                          egc_error *err)
{
    const egc_param *param = egc_param_find(method->compressor->params, key);
    if (param)
        return egc_param_set(param, method->params, value, err);
    param = egc_param_find(egc_method_option_params, key);
    if (param)
        return egc_param_set(param, &method->options, value, err);

    egc_buf valid = {0};
    egc_param_names(method->compressor->params, &valid);
    egc_text_put(&valid, valid.len ? ", " : "");
    egc_param_names(egc_method_option_params, &valid);
    egc_status status = egc_buf_check(&valid, err);
    if (!status)
        status = egc_fail(err, EGC_ERROR_NAME, "unknown key \"%s\" for %s; valid: %s", key,
                          method->name, egc_text_get(&valid));
    egc_buf_fini(&valid);
    return status;
}

egc_status egc_method_set_text(egc_method *method, const char *key, const char *value,
                               egc_error *err)
{
    const egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = value};
    egc_status status = egc_method_set(method, key, &scalar, err);
    if (status && status != EGC_ERROR_NAME)
        egc_error_prefix(err, "%s", key);
    return status;
}

/* Sets the `length` bytes "key=value". */
static egc_status set_item(egc_method *method, const char *text, size_t length, egc_error *err)
{
    char item[EGC_TEXT_LENGTH];
    snprintf(item, sizeof item, "%.*s", (int)length, text);
    char *value = strchr(item, '=');
    if (!value || length >= sizeof item)
        return egc_fail(err, EGC_ERROR_FORMAT, "parameters must be \"key=value;...\", got \"%s\"",
                        item);
    *value++ = '\0';
    return egc_method_set_text(method, item, value, err);
}

egc_status egc_method_set_all(egc_method *method, const char *settings, egc_error *err)
{
    egc_status status = EGC_OK;
    const char *at = settings ? settings : "";
    while (!status && *(at += strspn(at, "; "))) {
        size_t length = strcspn(at, ";");
        status = set_item(method, at, length, err);
        at += length;
    }
    return status;
}

egc_status egc_method_describe(const egc_method *method, egc_buf *out, egc_error *err)
{
    egc_method plain;
    egc_status status = egc_method_init(&plain, method->name, err);
    const struct {
        const egc_param *table;
        const void *object, *defaults;
    } parts[] = {
        {method->compressor->params, method->params, plain.params},
        {egc_method_option_params, &method->options, &plain.options},
    };
    const char *separator = "";
    egc_buf text = {0}, usual = {0};
    for (int part = 0; part < 2; part++)
        for (const egc_param *p = parts[part].table; p && p->name && !status; p++) {
            egc_buf_clear(&text);
            egc_buf_clear(&usual);
            egc_param_format(p, parts[part].object, &text);
            egc_param_format(p, parts[part].defaults, &usual);
            status = egc_buf_check(&text, err);
            if (!status)
                status = egc_buf_check(&usual, err);
            if (status || strcmp(egc_text_get(&text), egc_text_get(&usual)) == 0)
                continue;
            egc_text_put(out, "%s%s=%s", separator, p->name, egc_text_get(&text));
            separator = ";";
        }
    egc_buf_fini(&text);
    egc_buf_fini(&usual);
    return status ? status : egc_buf_check(out, err);
}

/* ---- properties of a method ------------------------------------------------------------------ */

bool egc_method_has_momentum(const egc_method *method)
{
    return egc_error_feedback_types()[method->options.error_feedback]->has_velocity ||
           method->compressor->traits & EGC_TRAIT_MOMENTUM;
}

bool egc_method_has_own_values(const egc_method *method)
{
    const egc_compressor_type *type = method->compressor;
    return type->traits & EGC_TRAIT_OWN_VALUES &&
           (!type->own_values || type->own_values(method->params));
}

bool egc_method_sends_dense(const egc_method *method, const egc_unit *unit)
{
    const egc_compressor_type *type = method->compressor;
    return unit->count < (size_t)method->options.min_elements ||
           (method->options.dense_vectors && unit->rows == 0 && !unit->layers) ||
           (type->pays && !type->pays(method->params, unit));
}

const egc_index_codec *egc_method_index_codec(const egc_method *method)
{
    int index = method->options.index;
    return index ? egc_codec_index_types()[index - 1] : NULL;
}

const egc_value_codec *egc_method_value_codec(const egc_method *method)
{
    return egc_codec_value_types()[method->options.value];
}

double egc_method_density(const egc_method *method, uint64_t step)
{
    if (!method->compressor->density)
        return NAN;
    enum { RUNGS = 5 };
    double ratio = method->compressor->density(method->params);
    uint64_t warmup = (uint64_t)method->options.warmup;
    if (step >= warmup)
        return ratio;
    double rung = 1 + floor((double)RUNGS * (double)step / (double)warmup);
    double density = method->options.warmup_curve == EGC_WARMUP_LADDER
                         ? pow(0.25, rung)
                         : pow(ratio, rung / (RUNGS + 1));
    return fmax(ratio, density);
}

double egc_method_correction_factor(double momentum, double tau)
{
    double m = momentum;
    return 1 / (1 - m * (1 - pow(m, tau)) / (tau * (1 - m)));
}
