/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment: a list of points to run. A point has a value for each parameter. */
#ifndef EGC_EXPERIMENT_SPEC_EXPERIMENT_H
#define EGC_EXPERIMENT_SPEC_EXPERIMENT_H

#include "experiment/spec/spec.h"
#include "train/config.h"

#define EGC_RUN_ID_LENGTH 17 /* 16 hex digits of a hash of the point's parameters, and the end */

typedef struct egc_point {
    char run_id[EGC_RUN_ID_LENGTH];
    const egc_spec *spec;           /* the table of the experiment with a value for each axis */
    const char *const *axis_values; /* as text, one for each of the experiment's axes */
    egc_train_config config;        /* its pointers are in the experiment's arena */
} egc_point;

typedef struct egc_experiment {
    const char *name;
    const char *source_path;
    const char *source;      /* the script's text */
    const char *const *axes; /* dotted paths: "method", "cluster.bandwidth", "seed" */
    size_t n_axes;
    egc_point *points;
    size_t n_points;
    egc_arena arena; /* holds all of the above */
} egc_experiment;

/* True if times of some point are measured on the host, so that they differ from run to run. */
bool egc_experiment_is_measured(const egc_experiment *experiment);

void egc_experiment_fini(egc_experiment *experiment);

#endif
