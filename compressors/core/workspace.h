/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of an egc_workspace. */
#ifndef EGC_COMPRESSORS_CORE_WORKSPACE_H
#define EGC_COMPRESSORS_CORE_WORKSPACE_H

#include "compressors/core/method.h"

struct egc_workspace {
    uint32_t *index; /* the selection, and what it carries before and after coding */
    float *value;
    float *decoded;
    float *input; /* what there is to send, for memories that do not keep it */
    egc_arena scratch;
    gsl_rng *rng;
    gsl_rng *shared_rng;
};

/* What the core lends to a call about one unit. The generators are seeded and the scratch space is
 * empty. */
egc_context egc_workspace_context(egc_workspace *workspace, const egc_method *method,
                                  const egc_unit *unit, uint64_t step, size_t n_workers,
                                  uint64_t shared_seed);

#endif
