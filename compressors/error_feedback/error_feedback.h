/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Error feedback: the state a worker keeps between steps so that elements not sent, and rounding
 * errors, reach the receivers later. A type is one const descriptor in one file, named by one line
 * of list.def. */
#ifndef EGC_ERROR_FEEDBACK_ERROR_FEEDBACK_H
#define EGC_ERROR_FEEDBACK_ERROR_FEEDBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernels.h"

/* One unit's part of a worker's state. The vectors hold n floats each; velocity and residual are
 * zeroed at the start, and exist where the type has them. */
typedef struct egc_error_feedback_unit {
    float *velocity; /* u */
    float *residual; /* v or e; EF21's h */
    float *input;    /* the vector to send; the residual itself for in_place types */
    size_t n;
    float momentum;
    float low_pass; /* b of memory = "lowpass" */
    bool masking;
    bool nesterov;
} egc_error_feedback_unit;

typedef struct egc_error_feedback_type {
    const char *name;
    const char *summary;
    const char *formula;
    const char *reference;
    bool has_velocity;
    bool has_residual;
    bool in_place;    /* the residual is the input */
    bool accumulates; /* receivers apply the sum of all they ever decoded */

    /* Adds `scale` times the gradient and leaves the vector to send in unit->input. Returns its
     * norms. */
    egc_norms (*compensate)(const egc_error_feedback_unit *unit, float scale,
                            const float *gradient);

    /* After sending, dense or at `count` indices: accounts for the values that receivers will
     * decode. NULL for types without state. */
    void (*update)(const egc_error_feedback_unit *unit, const uint32_t *index, const float *decoded,
                   size_t count);
    void (*update_dense)(const egc_error_feedback_unit *unit, const float *decoded);
} egc_error_feedback_type;

/* Every registered type, NULL-terminated, in the order of list.def: the values of the option. */
const egc_error_feedback_type *const *egc_error_feedback_types(void);

/* The position of the type called name, which must exist. */
int egc_error_feedback_position(const char *name);

/* `update` of in_place types: subtracts the decoded values; with masking sets the velocity of the
 * elements sent to 0. A unit sent dense keeps its velocity, because nothing was delayed. */
void egc_error_feedback_subtract(const egc_error_feedback_unit *unit, const uint32_t *index,
                                 const float *decoded, size_t count);
void egc_error_feedback_subtract_dense(const egc_error_feedback_unit *unit, const float *decoded);

#endif
