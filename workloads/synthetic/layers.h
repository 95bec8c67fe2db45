/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters of the workload `synthetic`, and the layers that they describe. */
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

/* A row of `layers`. NAN: the value of the workload. */
typedef struct egc_synthetic_row {
    char name[EGC_LAYER_NAME];
    char dims[EGC_LAYER_NAME];
    int distribution; /* 0: the workload's; else 1 + egc_distribution */
    double scale, shape, mix, zeros;
    double worker_correlation, time_correlation, decay;
    double forward_flops, backward_flops, forward_s, backward_s; /* for one example */
} egc_synthetic_row;

extern const egc_param egc_synthetic_layers_params[];
extern const egc_param egc_synthetic_layers_row_params[];

/* Settings of one layer, with all defaults filled in. */
typedef struct egc_synthetic_settings {
    egc_law law;
    double worker_correlation, time_correlation, decay;
} egc_synthetic_settings;

/* The settings of layer i; of any layer, when the parameters list none. */
void egc_synthetic_layers_settings(const egc_synthetic_params *params, size_t i,
                                   egc_synthetic_settings *out);

/* RANGE, NAME; the message starts with the parameter. */
egc_status egc_synthetic_layers_check(const void *params, egc_error *err) EGC_MUST_CHECK;

/* The layers of one worker's batch; *out is to be freed with egc_free. params must have passed the
 * check. MEMORY. */
egc_status egc_synthetic_layers(const egc_synthetic_params *params, egc_layer **out, size_t *n,
                                egc_error *err) EGC_MUST_CHECK;

#endif
