/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks of the workload `train`: images.c classifies images, language.c predicts the next word of a
 * text. The data set decides which one a run has. */
#ifndef EGC_WORKLOADS_TRAIN_TASK_H
#define EGC_WORKLOADS_TRAIN_TASK_H

#include "workloads/train/datasets/dataset.h"
#include "workloads/train/nets.h"
#include "workloads/train/network.h"
#include "workloads/workload.h"

/* Parameters of the workload that only images have. */
typedef struct egc_images_params {
    bool augment;
    int split; /* egc_split_kind */
    double alpha;
} egc_images_params;

/* Parameters of the workload that only texts have. */
typedef struct egc_language_params {
    int64_t sequence;
    int64_t vocabulary;
    int64_t width;
    double dropout;
    bool carry;
} egc_language_params;

typedef struct egc_task_config {
    const egc_dataset_type *dataset;
    const char *path; /* "": where egc_locate_find finds the data set */
    const egc_net *net;
    const egc_images_params *images;
    const egc_language_params *language;
    size_t batch;
    size_t training_limit; /* images or words; EGC_EXAMPLES_ALL */
    size_t test_limit;
    egc_evaluate_on evaluate_on;
    const egc_workload_request *request;
} egc_task_config;

typedef struct egc_task egc_task;

typedef struct egc_task_type {
    size_t size; /* size of the struct that starts with an egc_task */

    /* Fills a zeroed task; fini is due on failure too. RANGE, IO, FORMAT, UNSUPPORTED, MEMORY. */
    egc_status (*init)(egc_task *task, const egc_task_config *config, egc_error *err);
    void (*fini)(egc_task *task);

    /* As the members of egc_workload_type. */
    egc_status (*gradient)(egc_task *task, uint64_t step, size_t worker, const float *parameters,
                           float *gradient, double *loss, egc_error *err);
    egc_status (*evaluate)(egc_task *task, const float *parameters, egc_evaluation *out,
                           egc_error *err);
    egc_workload_share (*share)(const egc_task *task, size_t worker);
} egc_task_type;

struct egc_task {
    const egc_task_type *type;
    egc_network *training; /* its parameters are the workload's */
    egc_network *evaluation;
};

extern const egc_task_type egc_task_images, egc_task_language;

/* *out is the caller's, to be given to egc_task_free. Errors are those of init. */
egc_status egc_task_new(const egc_task_type *type, const egc_task_config *config, egc_task **out,
                        egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_task_free(egc_task *task);

/* The number of examples to use: limit, or all that there are. RANGE, naming the parameter, when
 * limit is more than that. */
egc_status egc_task_count(const char *parameter, size_t limit, size_t available, size_t *out,
                          egc_error *err) EGC_MUST_CHECK;

/* Makes the networks: `network` for training, with the given batch for evaluation. UNSUPPORTED,
 * MEMORY. */
egc_status egc_task_build(egc_task *task, egc_network_config network, size_t evaluation_batch,
                          egc_error *err) EGC_MUST_CHECK;

/* The gradient of the batch that the training network holds, and its mean loss. */
egc_status egc_task_gradient(egc_task *task, const float *parameters, float *gradient, double *loss,
                             egc_error *err) EGC_MUST_CHECK;

#endif
