/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of error feedback types, made from list.def, and the update of types whose residual
 * is the vector to send. */
#include "error_feedback/error_feedback.h"

#include <string.h>

#define EGC_ERROR_FEEDBACK(name) extern const egc_error_feedback_type egc_error_feedback_##name;
#include "error_feedback/list.def"
#undef EGC_ERROR_FEEDBACK

static const egc_error_feedback_type *const types[] = {
#define EGC_ERROR_FEEDBACK(name) &egc_error_feedback_##name,
#include "error_feedback/list.def"
#undef EGC_ERROR_FEEDBACK
    NULL,
};

const egc_error_feedback_type *const *egc_error_feedback_types(void)
{
    return types;
}

int egc_error_feedback_position(const char *name)
{
    int place = 0;
    while (strcmp(types[place]->name, name) != 0)
        place++;
    return place;
}

/* x - x is +0 for every finite x, so an exactly sent value leaves nothing behind. */
void egc_error_feedback_subtract(const egc_error_feedback_unit *unit, const uint32_t *index,
                                 const float *decoded, size_t count)
{
    enum { AHEAD = 16 }; /* chosen elements lie far apart in memory */
    float *masked = unit->masking ? unit->velocity : NULL;
    for (size_t i = 0; i < count; i++) {
        unit->residual[index[i]] -= decoded[i];
        if (!masked)
            continue;
        if (i + AHEAD < count)
            __builtin_prefetch(&masked[index[i + AHEAD]], 1);
        masked[index[i]] = 0;
    }
}

void egc_error_feedback_subtract_dense(const egc_error_feedback_unit *unit, const float *decoded)
{
    egc_kernels_get()->axpy(-1, decoded, unit->residual, unit->n);
}
