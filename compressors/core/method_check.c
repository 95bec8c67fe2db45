/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refuses methods whose parts contradict each other or have no effect, with the reason: a wrong
 * result must not go unnoticed. */
#include <math.h>
#include <string.h>

#include "compressors/core/round_plan.h"

#define REFUSE(...) return egc_fail(err, EGC_ERROR_UNSUPPORTED, __VA_ARGS__)

static const egc_error_feedback_type *error_feedback_of(const egc_method *method)
{
    return egc_error_feedback_types()[method->options.error_feedback];
}

static bool is_named(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0;
}

static egc_status check_error_feedback(const egc_method *method, egc_error *err)
{
    const egc_method_options *options = &method->options;
    const egc_compressor_type *type = method->compressor;
    const egc_error_feedback_type *error_feedback = error_feedback_of(method);
    if (options->nesterov && !error_feedback->has_velocity)
        REFUSE("nesterov needs memory = \"momentum\", got \"%s\"", error_feedback->name);
    if (error_feedback->has_velocity && type->traits & EGC_TRAIT_MOMENTUM)
        REFUSE("%s has momentum of its own, which memory = \"momentum\" would apply twice",
               type->name);
    if (error_feedback->has_residual && type->traits & EGC_TRAIT_UNSCALED)
        REFUSE("%s sends signs without a magnitude, which no residual could ever be paid off with; "
               "use memory = \"none\", or efsign",
               type->name);
    const double usual = egc_param_find(egc_method_option_params, "low_pass")->def;
    if (options->low_pass != usual && !is_named(error_feedback->name, "lowpass"))
        REFUSE("low_pass needs memory = \"lowpass\", got \"%s\"", error_feedback->name);
    bool kept = error_feedback->has_residual && !error_feedback->accumulates;
    if (!kept && options->residual_decay != 1)
        REFUSE("residual_decay needs a memory that keeps a residual, got \"%s\"",
               error_feedback->name);
    if (!kept && options->residual_lr == EGC_RESIDUAL_LR_RESCALE)
        REFUSE("residual_lr = \"rescale\" needs a memory that keeps a residual, got \"%s\"",
               error_feedback->name);
    if (options->nonfinite == EGC_NONFINITE_SKIP && type->traits & EGC_TRAIT_UNSCALED)
        REFUSE("nonfinite = \"skip\" needs messages that can say nothing; those of %s are signs",
               type->name);
    return EGC_OK;
}

static egc_status check_codecs(const egc_method *method, egc_error *err)
{
    const egc_method_options *options = &method->options;
    const egc_compressor_type *type = method->compressor;
    const egc_index_codec *index = egc_method_index_codec(method);
    const egc_value_codec *value = egc_method_value_codec(method);
    bool own_values = egc_method_has_own_values(method);
    if (!type->select && (index || options->value))
        REFUSE("%s writes its own bytes and takes no index or value codec", type->name);
    if (type->traits & EGC_TRAIT_SHARED && index)
        REFUSE("all workers of %s select the same elements and send no indices; leave index = "
               "\"auto\"",
               type->name);
    if (index && index->lossy && own_values)
        REFUSE("index = \"%s\" moves values to other positions, and those of %s are not the "
               "elements' own",
               index->name, type->name);
    if (index && index->lossy && options->lr_correction == EGC_CORRECTION_ELEMENT)
        REFUSE("index = \"%s\" sends elements that were not chosen, which lr_correction = "
               "\"element\" has no factor for",
               index->name);
    bool bloom = index && is_named(index->name, "bloom");
    if (!bloom && (options->bloom_rate != 0 || options->bloom_policy))
        REFUSE("bloom_rate and bloom_policy need index = \"bloom\"");
    if (is_named(value->name, "mean") && !own_values)
        REFUSE("value = \"mean\" gives every element the same value, and those of %s differ",
               type->name);
    return EGC_OK;
}

static egc_status check_sums(const egc_method *method, egc_error *err)
{
    const egc_method_options *options = &method->options;
    egc_round_plan plan = egc_round_plan_of(method);
    bool summed = plan.round[plan.n_rounds - 1].element;
    if (options->predivide && !summed)
        REFUSE("predivide needs messages that are summed on their way; those of %s are decoded "
               "first",
               method->name);
    if (options->predivide && plan.rounds)
        REFUSE("predivide is for methods of one message; %s has rounds", method->name);
    if (options->entropy && summed)
        REFUSE("entropy = \"range\" would make the messages of %s impossible to sum; it needs a "
               "method whose messages are gathered",
               method->name);
    return EGC_OK;
}

static egc_status check_schedules(const egc_method *method, egc_error *err)
{
    const egc_method_options *options = &method->options;
    const egc_compressor_type *type = method->compressor;
    bool ratio = type->density && !isnan(type->density(method->params));
    if (options->warmup && !ratio)
        REFUSE("warmup needs a compressor that aims at a ratio; %s does not", type->name);
    if (!options->warmup && options->warmup_curve)
        REFUSE("warmup_schedule needs warmup, the number of its steps");
    if (options->lr_correction != EGC_CORRECTION_ELEMENT)
        return EGC_OK;
    if (!error_feedback_of(method)->has_velocity || !options->masking)
        REFUSE("lr_correction = \"element\" undoes what masking takes: it needs memory = "
               "\"momentum\" and masking");
    if (!type->select || egc_method_has_own_values(method))
        REFUSE("lr_correction = \"element\" scales the values of chosen elements, and %s sends "
               "none",
               type->name);
    return EGC_OK;
}

static egc_status check_compressor(const egc_method *method, egc_error *err)
{
    const egc_compressor_type *type = method->compressor;
    egc_status status = type->check ? type->check(method->params, err) : EGC_OK;
    if (status)
        return status;
    if (type->traits & EGC_TRAIT_MATRIX && method->options.granularity != EGC_GRANULARITY_LAYER)
        REFUSE("%s compresses matrices: it needs granularity = \"layer\"", type->name);
    egc_unit unit = {.name = "", .count = 1000};
    egc_context context = {.unit = &unit, .density = egc_method_density(method, UINT64_MAX)};
    if (type->gain && type->gain(method->params, &context, unit.count) != 1 &&
        error_feedback_of(method)->has_residual)
        REFUSE(
            "%s sends more than there is, which a residual would pay back for ever; use memory = "
            "\"none\"",
            type->name);
    return EGC_OK;
}

egc_status egc_method_check(const egc_method *method, egc_error *err)
{
    egc_status (*const checks[])(const egc_method *, egc_error *) = {
        check_compressor, check_error_feedback, check_codecs, check_sums, check_schedules,
    };
    egc_status status = EGC_OK;
    for (size_t i = 0; i < sizeof checks / sizeof *checks && !status; i++)
        status = checks[i](method, err);
    return status;
}
