/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns the table of egc.experiment into an experiment whose points can all run. */
#ifndef EGC_EXPERIMENT_SPEC_BUILD_H
#define EGC_EXPERIMENT_SPEC_BUILD_H

#include "experiment/spec/resolve.h"

/* Sets *keep for a point, given its resolved configuration. Errors end the build. */
typedef egc_status (*egc_point_filter)(void *arg, const egc_train_config *config, bool *keep,
                                       egc_error *err);

/* Fills name, axes and points of experiment, whose arena must hold root. default_name is used if
 * root has no name; filter may be NULL. RANGE when two points are equal or none is left, and the
 * errors of expanding, resolving and checking points. */
egc_status egc_spec_build(egc_experiment *experiment, const egc_spec *root,
                          const char *default_name, egc_device_profiles devices,
                          egc_point_filter filter, void *arg, egc_error *err) EGC_MUST_CHECK;

#endif
