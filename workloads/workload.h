/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface of workloads, the sources of gradients.
 *
 * A workload is one const descriptor in one file, named by one line of list.def. It lists its
 * layers and gives the gradient of any worker at any step. Closed-loop workloads (a network in
 * training) compute it at given parameters, which they can also evaluate; open-loop ones (a
 * recorded trace) ignore parameters.
 *
 * All layers lie one after the other in one flat vector of `n_params` floats, in the order of
 * `layers` (forward order: the layer nearest the input first). Gradients have the same layout.
 *
 * A workload is used from one thread. It is opened in the process that simulates. */
#ifndef EGC_WORKLOADS_WORKLOAD_H
#define EGC_WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"
#include "workloads/optimizer.h"

#define EGC_LAYER_NAME 64
#define EGC_LAYER_DIMS 4

typedef struct egc_layer {
    char name[EGC_LAYER_NAME];
    size_t shape[EGC_LAYER_DIMS]; /* unused dimensions are 0 */
    size_t count;                 /* product of the shape: parameters in this layer */
    double forward_flops;         /* for one worker's batch */
    double backward_flops;
    double forward_s; /* recorded times; NAN when only the FLOPs are known */
    double backward_s;
} egc_layer;

typedef struct egc_evaluation {
    double loss;       /* mean over the test set, nats */
    double accuracy;   /* share of examples right, 0..1; NAN when it does not apply */
    double perplexity; /* exp(loss) for language models; NAN otherwise */
} egc_evaluation;

/* Size of the run, checked by open. */
typedef struct egc_workload_request {
    size_t workers;
    uint64_t steps;
    uint64_t seed;
} egc_workload_request;

/* The part of the data that a worker trains on. */
typedef struct egc_workload_share {
    double examples; /* or words */
    uint64_t steps;  /* steps of an epoch: one pass over the examples */
} egc_workload_share;

typedef struct egc_workload egc_workload;

typedef struct egc_workload_type {
    const char *name;
    const char *summary;
    const char *reference;
    bool closed_loop;

    const egc_param *params;
    size_t params_size;
    size_t state_size; /* size of the private state */

    /* Optional: checks of several parameters together. RANGE, NAME; the message starts with the
     * parameter. */
    egc_status (*check)(const void *params, egc_error *err);

    /* Optional: a hash of the files that the parameters name, which changes with their content; 0
     * when they cannot be read, which open reports. */
    uint64_t (*hash_files)(const void *params);

    /* Fills workload->layers, n_layers, n_params, model, and optimizer. On failure leaves nothing
     * for close to free. RANGE when the request cannot be met (the message says how much is
     * available), IO, FORMAT, MEMORY. */
    egc_status (*open)(egc_workload *workload, const void *params,
                       const egc_workload_request *request, egc_error *err);

    /* Closed loop: the initial parameters, the same for every worker. */
    egc_status (*initialize)(egc_workload *workload, float *parameters, egc_error *err);

    /* The gradient (n_params floats) of `worker` at `step`, and the training loss of its batch
     * (NAN when unknown). parameters is NULL for open-loop workloads. */
    egc_status (*gradient)(egc_workload *workload, uint64_t step, size_t worker,
                           const float *parameters, float *gradient, double *loss, egc_error *err);

    /* Closed loop: the quality of parameters on the test set. */
    egc_status (*evaluate)(egc_workload *workload, const float *parameters, egc_evaluation *out,
                           egc_error *err);

    /* Closed loop: the share of `worker`. NULL: unknown. */
    egc_workload_share (*share)(const egc_workload *workload, size_t worker);

    void (*close)(egc_workload *workload);
} egc_workload_type;

struct egc_workload {
    const egc_workload_type *type;
    void *state; /* state_size zeroed bytes, owned by the core */
    char model[EGC_LAYER_NAME];
    egc_layer *layers; /* allocated by open with egc_calloc, freed by the core */
    size_t n_layers;
    size_t n_params;
    egc_optimizer optimizer;
    egc_workload_request request;
};

/* Every registered type, NULL-terminated, in the order of list.def. */
const egc_workload_type *const *egc_workload_types(void);

/* The type called name. NAME, listing the valid ones. */
egc_status egc_workload_find(const char *name, const egc_workload_type **out,
                             egc_error *err) EGC_MUST_CHECK;

/* Checks a type's parameters against each other, as egc_workload_new does too. Errors of `check`.
 */
egc_status egc_workload_check(const egc_workload_type *type, const void *params,
                              egc_error *err) EGC_MUST_CHECK;

/* Opens a workload. *out is the caller's, to be given to egc_workload_free. */
egc_status egc_workload_new(const egc_workload_type *type, const void *params,
                            const egc_workload_request *request, egc_workload **out,
                            egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_workload_free(egc_workload *workload);

#endif
