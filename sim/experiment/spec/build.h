/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the table of egc.experiment to an experiment whose every point can run. */
#ifndef EGC_EXPERIMENT_SPEC_BUILD_H
#define EGC_EXPERIMENT_SPEC_BUILD_H

#include "experiment/spec/resolve.h"

/* Says whether to keep a point. Its config is resolved, its run_id and axis values are not. */
typedef egc_status (*egc_point_filter)(void *arg, const egc_train_config *config, bool *keep,
                                       egc_error *err);

/* Fills name, axes and points of experiment, whose arena holds root. default_name serves when root
 * has none; filter may be NULL. Two equal points are an error, and so is having none. */
egc_status egc_spec_build(egc_experiment *experiment, const egc_spec *root,
                          const char *default_name, egc_device_profiles devices,
                          egc_point_filter filter, void *arg, egc_error *err) EGC_MUST_CHECK;

#endif
