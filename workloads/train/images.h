/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network that learns to tell the classes of images: what the workload `train` is made of when
 * its data set has them. */
#ifndef EGC_WORKLOADS_TRAIN_IMAGES_H
#define EGC_WORKLOADS_TRAIN_IMAGES_H

#include "workloads/train/datasets/dataset.h"
#include "workloads/train/nets/net.h"
#include "workloads/train/network.h"
#include "workloads/workload.h"

/* Parameters of the workload that only images have. */
typedef struct egc_images_params {
    bool augment;
    int split;
    double alpha;
} egc_images_params;

typedef enum egc_images_split { EGC_SPLIT_IID, EGC_SPLIT_DIRICHLET } egc_images_split;

extern const char *const egc_images_splits[]; /* choices of split */

typedef struct egc_images_config {
    const egc_dataset_type *dataset;
    const char *path; /* "": where the data set is found */
    const egc_net *net;
    const egc_images_params *params;
    size_t batch;
    size_t training_limit; /* EGC_EXAMPLES_ALL */
    size_t test_limit;
    egc_evaluate_on evaluate_on;
    const egc_workload_request *request;
} egc_images_config;

typedef struct egc_images egc_images;

/* RANGE, IO, FORMAT, UNSUPPORTED, MEMORY. */
egc_status egc_images_new(const egc_images_config *config, egc_images **out,
                          egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_images_free(egc_images *images);

/* The network in training, whose parameters are the workload's. Borrowed. */
const egc_network *egc_images_network(const egc_images *images);

/* As the members of egc_workload_type. */
egc_status egc_images_gradient(egc_images *images, uint64_t step, size_t worker,
                               const float *parameters, float *gradient, double *loss,
                               egc_error *err) EGC_MUST_CHECK;
egc_status egc_images_evaluate(egc_images *images, const float *parameters, egc_evaluation *out,
                               egc_error *err) EGC_MUST_CHECK;
egc_workload_share egc_images_share(const egc_images *images, size_t worker);

#endif
