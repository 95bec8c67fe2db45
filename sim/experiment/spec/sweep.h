/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expands the axes of an experiment into points: one for each combination of values.
 *
 * The last axis varies fastest. Axes are in the order of egc_spec_order, because Lua tables do not
 * keep the order of their fields. An axis inside an item of another axis expands for that item
 * alone. */
#ifndef EGC_EXPERIMENT_SPEC_SWEEP_H
#define EGC_EXPERIMENT_SPEC_SWEEP_H

#include "experiment/spec/spec.h"

#define EGC_SWEEP_MAX_POINTS 1000000

typedef struct egc_sweep {
    const char *const *axes; /* distinct dotted paths, slowest first */
    size_t n_axes;
    const egc_spec *const *points; /* trees without EACH and ZIP */
    size_t n_points;
} egc_sweep;

/* Expands a tree; out lives in arena. RANGE for more than EGC_SWEEP_MAX_POINTS points; FORMAT for
 * an empty EACH, and for a ZIP whose fields differ in length or are also in its table or another
 * ZIP; MEMORY. */
egc_status egc_sweep_expand(egc_arena *arena, const egc_spec *experiment, egc_sweep *out,
                            egc_error *err) EGC_MUST_CHECK;

/* The values of all axes at a point, as texts in arena; "" where the point lacks the field. MEMORY.
 */
egc_status egc_sweep_values(egc_arena *arena, const egc_sweep *sweep, const egc_spec *point,
                            const char *const **out, egc_error *err) EGC_MUST_CHECK;

#endif
