/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expanding the axes of an experiment into points.
 *
 * Axes multiply. The one written last varies fastest, where "written" means the order of
 * egc_spec_order: Lua tables do not keep the order of their fields. An axis inside an item of
 * another expands for that item alone. */
#ifndef EGC_EXPERIMENT_SPEC_SWEEP_H
#define EGC_EXPERIMENT_SPEC_SWEEP_H

#include "experiment/spec/spec.h"

#define EGC_SWEEP_MAX_POINTS 1000000

typedef struct egc_sweep {
    const char *const *axes; /* dotted paths, each once, slowest first */
    size_t n_axes;
    const egc_spec *const *points; /* trees without EACH and ZIP */
    size_t n_points;
} egc_sweep;

/* RANGE when there are more points than EGC_SWEEP_MAX_POINTS, saying how many; FORMAT when an
 * EACH is empty, when fields of a ZIP differ in length or stand beside the table's own. */
egc_status egc_sweep_expand(egc_arena *arena, const egc_spec *experiment, egc_sweep *out,
                            egc_error *err) EGC_MUST_CHECK;

/* The values of all axes at a point as text, "" where the point does not have the field. */
egc_status egc_sweep_values(egc_arena *arena, const egc_sweep *sweep, const egc_spec *point,
                            const char *const **out, egc_error *err) EGC_MUST_CHECK;

#endif
