/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memories: what happens to a gradient before elements are chosen from it, and to what was not
 * sent. A memory is one const descriptor in one file, named by one line of list.def. */
#ifndef EGC_ERROR_FEEDBACK_ERROR_FEEDBACK_H
#define EGC_ERROR_FEEDBACK_ERROR_FEEDBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernels.h"

/* One unit's share of a worker's memory. The vectors hold n floats each; velocity and residual are
 * zeroed at the start, and exist where the type says so. */
typedef struct egc_error_feedback_unit {
    float *velocity; /* u */
    float *residual; /* v or e; EF21's h */
    float *input;    /* what there is to send: the residual itself for in_place types */
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

    /* Takes the gradient in, scaled by `scale`, and leaves in unit->input what there is to send.
     * Returns its norms. */
    egc_norms (*compensate)(const egc_error_feedback_unit *unit, float scale,
                            const float *gradient);

    /* After sending, dense or at `count` indices: takes what the receivers will decode out of the
     * memory. NULL for types without one. */
    void (*update)(const egc_error_feedback_unit *unit, const uint32_t *index, const float *decoded,
                   size_t count);
    void (*update_dense)(const egc_error_feedback_unit *unit, const float *decoded);
} egc_error_feedback_type;

/* Every registered type, NULL-terminated, in the order of list.def: the values of the option. */
const egc_error_feedback_type *const *egc_error_feedback_types(void);

/* Where the type called name, which exists, is among them. */
int egc_error_feedback_position(const char *name);

/* What in_place types do: the input loses what was decoded; with masking the velocity of what was
 * sent becomes 0 (where everything was, nothing was delayed and the velocity stays). */
void egc_error_feedback_subtract(const egc_error_feedback_unit *unit, const uint32_t *index,
                                 const float *decoded, size_t count);
void egc_error_feedback_subtract_dense(const egc_error_feedback_unit *unit, const float *decoded);

#endif
