/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derives the method that compresses differences of parameters from the one that compresses
 * gradients: the difference itself is the residual, so options of the error feedback do not apply. */
#include "train/core/delta.h"

#include <math.h>

/* A copy of the method with the named error feedback and every option that acts on it at rest. */
static egc_method with_memory(const egc_method *method, const char *name)
{
    egc_method out = *method;
    egc_method_options *options = &out.options;
    options->error_feedback = egc_error_feedback_position(name);
    options->momentum = NAN;
    options->masking = options->nesterov = false;
    options->clip = 0; /* it is of gradients */
    options->low_pass = egc_param_find(egc_method_option_params, "low_pass")->def;
    options->residual_decay = 1;
    options->residual_lr = EGC_RESIDUAL_LR_SENT;
    options->lr_correction = EGC_CORRECTION_NONE;
    return out;
}

egc_method egc_delta_method(const egc_method *method)
{
    return with_memory(method, "none");
}

egc_status egc_delta_check(const egc_method *method, egc_error *err)
{
    const egc_method likened = with_memory(method, "residual");
    egc_status status = egc_method_check(&likened, err);
    return status ? egc_error_prefix(err, "method: compresses differences, which are residuals")
                  : EGC_OK;
}
