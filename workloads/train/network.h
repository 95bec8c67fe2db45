/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A classifier: layers, the loss on top of them, and the oneDNN graph made of them.
 *
 * Parameters and gradients are the caller's flat vectors, row-major, in the order of the layers.
 * Inside, oneDNN chooses its own layouts. */
#ifndef EGC_WORKLOADS_TRAIN_NETWORK_H
#define EGC_WORKLOADS_TRAIN_NETWORK_H

#include "workloads/train/layers/layer.h"

typedef struct egc_network_config {
    const egc_layer_spec *layers; /* ends with a zeroed one; log-softmax is added to it */
    egc_shape example;
    size_t classes;
    size_t batch;
    bool training; /* false: egc_network_forward only */

    size_t
        sequence; /* steps of a text: batch is sequence steps of batch / sequence streams; else 0 */
    size_t width; /* width of layers of EGC_WIDTH_CHOSEN */
    double dropout; /* probability, in dropout layers */
} egc_network_config;

typedef struct egc_network {
    egc_graph graph;
    egc_node *nodes;
    size_t n_nodes;
    size_t n_params;
    size_t batch;
    size_t classes;
    float *examples; /* batch examples, one after the other: fill before a run */
    int *labels;     /* batch labels in 0 .. classes-1: fill before a run */
} egc_network;

/* UNSUPPORTED, naming the layer, when the layers do not fit together. MEMORY. */
egc_status egc_network_new(const egc_network_config *config, egc_network **out,
                           egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_network_free(egc_network *network);

/* Number of tensors of parameters, and the i-th. Borrowed. */
size_t egc_network_parameters(const egc_network *network);
const egc_parameter *egc_network_parameter(const egc_network *network, size_t i);

/* The recurrent state from the last step of a batch to the first of the next, as a number of
 * floats, 0 without recurrent layers. Set it before a forward pass (NULL: zeros), get it after the
 * pass. */
size_t egc_network_state_size(const egc_network *network);
void egc_network_set_state(egc_network *network, const float *state);
void egc_network_get_state(const egc_network *network, float *state);
void egc_network_keep_state(egc_network *network); /* get and set in one call, for the next batch */

/* Result of a forward pass over the first `count` examples of the batch. */
typedef struct egc_network_outcome {
    double loss;    /* sum of the cross-entropies, nats */
    size_t correct; /* examples whose most probable class is the label */
} egc_network_outcome;

egc_status egc_network_forward(egc_network *network, const float *parameters, size_t count,
                               egc_network_outcome *out, egc_error *err) EGC_MUST_CHECK;

/* Writes the gradient of the mean cross-entropy of the batch, n_params floats, after a forward pass
 * with the same parameters. MEMORY, UNSUPPORTED. */
egc_status egc_network_backward(egc_network *network, float *gradient,
                                egc_error *err) EGC_MUST_CHECK;

/* The moments of all batch normalisations: for each one, in the order of the layers, the means of
 * its channels and then their variances. A training network has those of its last batch (variances
 * with the divisor count - 1, as for an estimate); one for evaluation has those set last, at first
 * means of 0 and variances of 1. */
size_t egc_network_moments(const egc_network *network);
void egc_network_get_moments(const egc_network *network, float *out);
void egc_network_set_moments(egc_network *network, const float *moments);

#endif
