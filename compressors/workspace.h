/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of an egc_workspace. */
#ifndef EGC_WORKSPACE_H
#define EGC_WORKSPACE_H

#include "compressors/method.h"

struct egc_workspace {
    uint32_t *index; /* the selection, and what it carries before and after coding */
    float *value;
    float *decoded;
    float *input; /* what there is to send, for memories that keep nothing */
    egc_arena scratch;
    gsl_rng *rng;
};

#endif
