/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memories: what happens to a gradient before elements are chosen from it, and to what was not
 * sent. A memory is one const descriptor in one file, named by one line of list.def. */
#ifndef EGC_MEMORY_H
#define EGC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernels.h"

/* One unit's share of a worker's memory. The vectors hold n floats each, zeroed at the start;
 * which of them exist follows from the type. */
typedef struct egc_memory_unit {
    float *velocity; /* u */
    float *residual; /* v */
    size_t n;
    float momentum;
    bool masking;
    bool nesterov;
} egc_memory_unit;

typedef struct egc_memory_type {
    const char *name;
    const char *summary;
    const char *formula;
    const char *reference;
    bool has_velocity;
    bool has_residual;

    /* Takes the gradient in, scaled by `scale`, and leaves in unit->residual what there is to
     * send. Returns its norms. */
    egc_norms (*compensate)(const egc_memory_unit *unit, float scale, const float *gradient);
} egc_memory_type;

/* Every registered type, NULL-terminated, in the order of list.def: the values of the option. */
const egc_memory_type *const *egc_memory_types(void);

/* After sending: the residual loses what the receivers will decode at these indices, and with
 * masking the velocity there becomes 0. */
void egc_memory_update(const egc_memory_unit *unit, const uint32_t *index, const float *decoded,
                       size_t count);

#endif
