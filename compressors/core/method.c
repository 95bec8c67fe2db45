/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compressors/core/method.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codec/codec.h"
#include "compressors/core/frame.h"

/* ---- options ------------------------------------------------------------------------------- */

#define EGC_MEMORY(name) #name,
static const char *const memory_words[] = {
#include "error_feedback/list.def"
    NULL};
#undef EGC_MEMORY

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
static const char *const schedule_words[] = {"ladder", "exponential", NULL};
static const char *const residual_lr_words[] = {"sent", "rescale", NULL};
static const char *const bloom_words[] = {"all", "leftmost", "conflicts", NULL};
static const char *const entropy_words[] = {"none", "range", NULL};
static const char *const nonfinite_words[] = {"error", "zero", "skip", NULL};

#define FIELD(name) offsetof(egc_method_options, name)
#define NO_UNIT EGC_QUANTITY_NONE

/* The default memory is residual: every biased compressor needs it to converge. */
const egc_param egc_method_option_params[] = {
    {"memory", "what happens to a gradient before selection, and to what is not sent",
     EGC_PARAM_CHOICE, NO_UNIT, FIELD(memory), 1, 0, 0, 0, memory_words, NULL},
    {"momentum", "momentum of memory = \"momentum\"; unset: the workload's, or 0.9", EGC_PARAM_REAL,
     NO_UNIT, FIELD(momentum), NAN, 0, 1, EGC_PARAM_OPEN_MAX, NULL, NULL},
    {"masking", "momentum factor masking: the velocity of what was sent restarts from 0",
     EGC_PARAM_BOOL, NO_UNIT, FIELD(masking), 1, 0, 0, 0, NULL, NULL},
    {"nesterov", "Nesterov's form of memory = \"momentum\"", EGC_PARAM_BOOL, NO_UNIT,
     FIELD(nesterov), 0, 0, 0, 0, NULL, NULL},
    {"low_pass", "share of each change that memory = \"lowpass\" takes in", EGC_PARAM_REAL, NO_UNIT,
     FIELD(low_pass), 0.1, 0, 1, EGC_PARAM_OPEN_MIN, NULL, NULL},
    {"residual_decay", "what the residual is multiplied by at every step", EGC_PARAM_REAL, NO_UNIT,
     FIELD(residual_decay), 1, 0, 1, 0, NULL, NULL},
    {"residual_lr",
     "learning rate of a delayed gradient: in force when it is sent, or (rescale) "
     "when it arose",
     EGC_PARAM_CHOICE, NO_UNIT, FIELD(residual_lr), 0, 0, 0, 0, residual_lr_words, NULL},
    {"index", "codec of the indices; auto: the smallest exact one for each message",
     EGC_PARAM_CHOICE, NO_UNIT, FIELD(index), 0, 0, 0, 0, index_words, NULL},
    {"value", "codec of the values", EGC_PARAM_CHOICE, NO_UNIT, FIELD(value), 0, 0, 0, 0,
     value_words, NULL},
    {"bloom_rate", "false positives of index = \"bloom\"; 0: a tenth of the density",
     EGC_PARAM_REAL, NO_UNIT, FIELD(bloom_rate), 0, 0, 1, EGC_PARAM_OPEN_MAX, NULL, NULL},
    {"bloom_policy",
     "positives of the Bloom filter that get a value: all (P0), the leftmost k (P1), "
     "one of each conflict set (P2)",
     EGC_PARAM_CHOICE, NO_UNIT, FIELD(bloom_policy), 0, 0, 0, 0, bloom_words, NULL},
    {"entropy", "entropy coder over each message; range: unless that makes it longer",
     EGC_PARAM_CHOICE, NO_UNIT, FIELD(entropy), 0, 0, 0, 0, entropy_words, NULL},
    {"predivide", "divide by the number of workers before the sum, not after", EGC_PARAM_BOOL,
     NO_UNIT, FIELD(predivide), 0, 0, 0, 0, NULL, NULL},
    {"granularity", "what is compressed as one vector", EGC_PARAM_CHOICE, NO_UNIT,
     FIELD(granularity), 0, 0, 0, 0, granularity_words, NULL},
    {"min_elements", "smaller units are sent dense", EGC_PARAM_INT, NO_UNIT, FIELD(min_elements), 0,
     0, 1e12, 0, NULL, NULL},
    {"dense_vectors", "layers of one dimension (biases, norms) are sent dense", EGC_PARAM_BOOL,
     NO_UNIT, FIELD(dense_vectors), 0, 0, 0, 0, NULL, NULL},
    {"warmup", "steps over which the density comes down to the ratio", EGC_PARAM_INT, NO_UNIT,
     FIELD(warmup), 0, 0, 1e12, 0, NULL, NULL},
    {"warmup_schedule", "how: DGC's ladder 1/4, 1/16, ..., or ratio^(1/6), ratio^(2/6), ...",
     EGC_PARAM_CHOICE, NO_UNIT, FIELD(warmup_schedule), 0, 0, 0, 0, schedule_words, NULL},
    {"clip", "limit of the L2 norm over all workers, each taking its share 1/sqrt(P); 0: none",
     EGC_PARAM_REAL, NO_UNIT, FIELD(clip), 0, 0, INFINITY, 0, NULL, NULL},
    {"lr_scale", "factor on the workload's learning rate: what tuning found for this method",
     EGC_PARAM_REAL, NO_UNIT, FIELD(lr_scale), 1, 0, INFINITY, EGC_PARAM_OPEN_MIN, NULL, NULL},
    {"lr_correction",
     "undo what masking takes from the step size, by the density of a layer or by "
     "the wait of each element",
     EGC_PARAM_CHOICE, NO_UNIT, FIELD(lr_correction), 0, 0, 0, EGC_PARAM_SWITCH, correction_words,
     NULL},
    {"lr_smoothing", "weight of past steps in the density behind the correction", EGC_PARAM_REAL,
     NO_UNIT, FIELD(lr_smoothing), 0.9, 0, 1, EGC_PARAM_OPEN_MAX, NULL, NULL},
    {"nonfinite", "NaN or Inf in a gradient: end the run, treat as 0, or skip the worker's step",
     EGC_PARAM_CHOICE, NO_UNIT, FIELD(nonfinite), 0, 0, 0, 0, nonfinite_words, NULL},
    EGC_PARAM_END,
};

/* ---- presets ------------------------------------------------------------------------------- */

static const egc_preset egc_preset_egc = {
    .name = "egc",
    .summary = "Entropy-based Gradient Compression, our reading of it",
    .reference = "IEEE 8855357, 2019; Information Sciences 2021, DOI 10.1016/j.ins.2020.05.121; "
                 "the paper's formulas were not available, so every part is our reading",
    .compressor = "maxentropy",
    .settings = "memory=momentum;masking=true;lr_correction=layer;index=auto;value=sign_mean;"
                "granularity=bucket",
};

static const egc_preset *const presets[] = {&egc_preset_egc, NULL};

const egc_preset *const *egc_presets(void)
{
    return presets;
}

static const egc_preset *find_preset(const char *name)
{
    for (const egc_preset *const *preset = presets; *preset; preset++)
        if (strcmp((*preset)->name, name) == 0)
            return *preset;
    return NULL;
}

/* ---- making and setting -------------------------------------------------------------------- */

/* Applies "key=value;key=value", a constant of the program: it cannot fail. */
static void apply_settings(egc_method *method, const char *settings)
{
    char copy[256];
    assert(!settings || strlen(settings) < sizeof copy);
    strcpy(copy, settings ? settings : "");
    char *rest = copy, *item;
    while ((item = strsep(&rest, ";")) && *item) {
        char *value = strchr(item, '=');
        assert(value);
        *value++ = '\0';
        egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = value};
        egc_status status = egc_method_set(method, item, &scalar, NULL);
        assert(status == EGC_OK);
        (void)status;
    }
}

static egc_status unknown_method(const char *name, egc_error *err)
{
    const void *names[64];
    size_t n = 0;
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++)
        names[n++] = *type;
    for (const egc_preset *const *preset = presets; *preset; preset++)
        names[n++] = *preset;
    names[n] = NULL;
    assert(n < sizeof names / sizeof *names);
    return egc_fail_unknown(err, "method", name, names);
}

egc_status egc_method_init(egc_method *method, const char *name, egc_error *err)
{
    const egc_preset *preset = find_preset(name);
    const egc_compressor_type *type;
    if (egc_compressor_find(preset ? preset->compressor : name, &type, NULL))
        return unknown_method(name, err);
    assert(type->params_size <= EGC_METHOD_PARAMS_MAX);
    *method = (egc_method){.name = preset ? preset->name : type->name, .compressor = type};
    egc_params_init(egc_method_option_params, &method->options);
    egc_params_init(type->params, method->params);
    apply_settings(method, type->settings);
    apply_settings(method, preset ? preset->settings : NULL);
    return EGC_OK;
}

egc_status egc_method_set(egc_method *method, const char *key, const egc_scalar *value,
                          egc_error *err)
{
    const egc_param *param = egc_params_find(method->compressor->params, key);
    if (param)
        return egc_param_set(param, method->params, value, err);
    param = egc_params_find(egc_method_option_params, key);
    if (param)
        return egc_param_set(param, &method->options, value, err);

    egc_buf valid = {0};
    egc_status status = egc_params_names(method->compressor->params, &valid, err);
    if (!status && valid.len)
        status = egc_buf_printf(&valid, err, ", ");
    if (!status)
        status = egc_params_names(egc_method_option_params, &valid, err);
    if (!status)
        status = egc_fail(err, EGC_ERROR_NAME, "unknown key \"%s\" for %s; valid: %s", key,
                          method->name, (const char *)valid.data);
    egc_buf_fini(&valid);
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
            status = egc_param_format(p, parts[part].object, &text, err);
            if (!status)
                status = egc_param_format(p, parts[part].defaults, &usual, err);
            if (status || strcmp((char *)text.data, (char *)usual.data) == 0)
                continue;
            status = egc_buf_printf(out, err, "%s%s=%s", separator, p->name, (char *)text.data);
            separator = ";";
        }
    egc_buf_fini(&text);
    egc_buf_fini(&usual);
    return status;
}

/* ---- what follows from the parts ----------------------------------------------------------- */

bool egc_method_has_momentum(const egc_method *method)
{
    return egc_memory_types()[method->options.memory]->has_velocity ||
           method->compressor->traits & EGC_TRAIT_MOMENTUM;
}

size_t egc_method_rounds(const egc_method *method)
{
    return egc_round_plan_of(method).n_rounds;
}

egc_round egc_method_round(const egc_method *method, size_t round)
{
    return egc_round_plan_of(method).round[round];
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
    double density = method->options.warmup_schedule == EGC_WARMUP_LADDER
                         ? pow(0.25, rung)
                         : pow(ratio, rung / (RUNGS + 1));
    return fmax(ratio, density);
}

double egc_correction_factor(double momentum, double tau)
{
    double m = momentum;
    return 1 / (1 - m * (1 - pow(m, tau)) / (tau * (1 - m)));
}
