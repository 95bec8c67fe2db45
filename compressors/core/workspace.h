/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scratch memory for one unit. Encoders, decoders and mergers borrow it while they run, so all that
 * are used in turn can share one. */
#ifndef EGC_COMPRESSORS_CORE_WORKSPACE_H
#define EGC_COMPRESSORS_CORE_WORKSPACE_H

#include "compressors/core/method.h"

typedef struct egc_workspace {
    uint32_t *index; /* a selection and its values before and after coding */
    float *value;
    float *decoded;
    float *input; /* the vector to send, for error feedback types that do not keep it */
    egc_arena scratch;
    gsl_rng *rng;
    gsl_rng *shared_rng;
} egc_workspace;

/* Its vectors have room for `longest` elements each. MEMORY. */
egc_status egc_workspace_new(size_t longest, egc_workspace **out, egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_workspace_free(egc_workspace *workspace);

/* The context of a call about units[u] at `step`: empty scratch memory, shared_rng seeded from the
 * run's seed, the step and u, so that it draws the same on every worker. The caller sets worker and
 * seeds rng. */
egc_context egc_workspace_context(egc_workspace *workspace, const egc_method *method,
                                  const egc_unit *units, size_t u, uint64_t step, size_t n_workers,
                                  uint64_t run_seed);

#endif
