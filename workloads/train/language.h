/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network that learns to predict the next word of a text: what the workload `train` is made of
 * when its data set is one. */
#ifndef EGC_WORKLOADS_TRAIN_LANGUAGE_H
#define EGC_WORKLOADS_TRAIN_LANGUAGE_H

#include "workloads/train/datasets/dataset.h"
#include "workloads/train/nets/net.h"
#include "workloads/train/network.h"
#include "workloads/workload.h"

/* Parameters of the workload that only texts have. */
typedef struct egc_language_params {
    int64_t sequence;
    int64_t vocabulary;
    int64_t width;
    double dropout;
    bool carry;
} egc_language_params;

typedef struct egc_language_config {
    const egc_dataset_type *dataset;
    const char *where; /* folder or file */
    const egc_net *net;
    const egc_language_params *params;
    size_t batch;
    size_t training_limit; /* words; EGC_EXAMPLES_ALL */
    size_t test_limit;
    egc_evaluate_on evaluate_on;
    const egc_workload_request *request;
} egc_language_config;

typedef struct egc_language egc_language;

/* RANGE, IO, FORMAT, UNSUPPORTED, MEMORY. */
egc_status egc_language_new(const egc_language_config *config, egc_language **out,
                            egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_language_free(egc_language *language);

/* The network in training, whose parameters are the workload's. Borrowed. */
const egc_network *egc_language_network(const egc_language *language);

/* As the members of egc_workload_type. The state that the network carries from step to step of a
 * worker is used when the steps follow one another, within an epoch; otherwise it is zero. */
egc_status egc_language_gradient(egc_language *language, uint64_t step, size_t worker,
                                 const float *parameters, float *gradient, double *loss,
                                 egc_error *err) EGC_MUST_CHECK;
egc_status egc_language_evaluate(egc_language *language, const float *parameters,
                                 egc_evaluation *out, egc_error *err) EGC_MUST_CHECK;

/* That of every worker. */
egc_workload_share egc_language_share(const egc_language *language);

#endif
