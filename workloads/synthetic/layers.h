/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layers of synthetic gradients as they are written in an experiment, and what they come to. */
#ifndef EGC_WORKLOADS_SYNTHETIC_LAYERS_H
#define EGC_WORKLOADS_SYNTHETIC_LAYERS_H

#include "workloads/synthetic/law.h"
#include "workloads/workload.h"

enum { EGC_SYNTHETIC_MAX_LAYERS = 65536 };

typedef struct egc_synthetic_params {
    char model[EGC_LAYER_NAME];
    egc_param_list layers; /* egc_synthetic_row */
    int distribution;
    double scale, shape, mix, zeros;
    double worker_correlation, time_correlation, decay;
    int64_t batch;
} egc_synthetic_params;

/* NAN: as in the workload, where that has it. */
typedef struct egc_synthetic_row {
    char name[EGC_LAYER_NAME];
    char dims[EGC_LAYER_NAME];
    int distribution; /* 0, or 1 more than an egc_distribution */
    double scale, shape, mix, zeros;
    double worker_correlation, time_correlation, decay;
    double forward_flops, backward_flops, forward_s, backward_s; /* of one example */
} egc_synthetic_row;

extern const egc_param egc_synthetic_layers_params[];
extern const egc_param egc_synthetic_layers_row_params[];

/* How the values of one layer are made. */
typedef struct egc_synthetic_settings {
    egc_law law;
    double worker_correlation, time_correlation, decay;
} egc_synthetic_settings;

/* What parameters say of layer i; of any layer, when they list none. */
void egc_synthetic_layers_settings(const egc_synthetic_params *params, size_t i,
                                   egc_synthetic_settings *out);

/* RANGE, NAME; the message starts with the parameter. */
egc_status egc_synthetic_layers_check(const void *params, egc_error *err) EGC_MUST_CHECK;

/* The layers of one worker's batch, to be freed with egc_free. params must have passed the check.
 * MEMORY. */
egc_status egc_synthetic_layers(const egc_synthetic_params *params, egc_layer **out, size_t *n,
                                egc_error *err) EGC_MUST_CHECK;

#endif
