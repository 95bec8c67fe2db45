/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small networks, and the layers that they are written with. */
#ifndef EGC_TEST_TRAIN_LAYERS_H
#define EGC_TEST_TRAIN_LAYERS_H

#include <gsl/gsl_randist.h>

#include "base/mem.h"
#include "base/rng.h"
#include "support/test.h"
#include "workloads/train/nets.h"
#include "workloads/train/network.h"

enum { BATCH = 4, CLASSES = 5, SAMPLES = 24 };

static egc_error err;

static inline egc_network *make(const egc_layer_spec *layers, egc_shape example, size_t batch)
{
    egc_network *network = NULL;
    const egc_network_config config = {
        .layers = layers, .example = example, .classes = CLASSES, .batch = batch, .training = true};
    assert_ok(egc_network_new(&config, &network, &err), err);
    return network;
}

static inline double loss_at(egc_network *network, const float *parameters)
{
    egc_network_outcome outcome;
    assert_ok(egc_network_forward(network, parameters, network->batch, &outcome, &err), err);
    return outcome.loss / (double)network->batch;
}

/* The slope of the loss between the parameters and the same with the i-th moved by h. */
static inline double slope(egc_network *network, float *parameters, size_t i, float h, double loss)
{
    float centre = parameters[i];
    float moved = centre + h;
    parameters[i] = moved;
    double loss_moved = loss_at(network, parameters);
    parameters[i] = centre;
    return (loss_moved - loss) / ((double)moved - (double)centre);
}

/* A network with random parameters and one random batch, and the gradient there. */
typedef struct trial {
    egc_network *network;
    float *parameters, *gradient;
    uint64_t state;
    gsl_rng rng;
} trial;

static inline void start(trial *t, const egc_layer_spec *layers, egc_shape example, size_t batch)
{
    *t = (trial){.network = make(layers, example, batch), .state = 7};
    egc_network *network = t->network;
    t->rng = (gsl_rng){egc_rng_splitmix64, &t->state};
    t->parameters = egc_calloc(network->n_params, sizeof(float));
    t->gradient = egc_calloc(network->n_params, sizeof(float));
    assert_true(t->parameters && t->gradient);
    for (size_t i = 0; i < batch * egc_shape_count(&example); i++)
        network->examples[i] = (float)gsl_ran_gaussian(&t->rng, 1);
    for (size_t i = 0; i < batch; i++)
        network->labels[i] = (int)gsl_rng_uniform_int(&t->rng, CLASSES);
    for (size_t i = 0; i < egc_network_parameters(network); i++) {
        const egc_parameter *parameter = egc_network_parameter(network, i);
        double deviation = parameter->deviation > 0 ? parameter->deviation : 0.1;
        for (size_t j = 0; j < parameter->layer.count; j++)
            t->parameters[parameter->first + j] =
                (float)(parameter->start + gsl_ran_gaussian(&t->rng, deviation));
    }
    loss_at(network, t->parameters);
    assert_ok(egc_network_backward(network, t->gradient, &err), err);
}

static inline void finish(trial *t)
{
    egc_free(t->parameters);
    egc_free(t->gradient);
    egc_network_free(t->network);
}

#define CONV(name_, width_, ...)                                                                   \
    {                                                                                              \
        .kind = &egc_layer_conv, .name = name_, .width = width_, __VA_ARGS__                       \
    }
#define LINEAR(name_, width_)                                                                      \
    {                                                                                              \
        .kind = &egc_layer_linear, .name = name_, .width = width_                                  \
    }
#define POOL(kernel_)                                                                              \
    {                                                                                              \
        .kind = &egc_layer_max_pool, .kernel = kernel_                                             \
    }
#define RELU                                                                                       \
    {                                                                                              \
        .kind = &egc_layer_relu                                                                    \
    }

static const egc_shape FEATURES = {1, {11}};
static const egc_shape IMAGE = {3, {3, 9, 7}};

/* A convolution without bias, as they all are in front of a normalisation. */
#define CONV3(name_, width_, stride_)                                                              \
    CONV(name_, width_, .kernel = 3, .stride = stride_, .padding = 1, .no_bias = true)
#define NORM(name_, ...)                                                                           \
    {                                                                                              \
        .kind = &egc_layer_batch_norm, .name = name_, __VA_ARGS__                                  \
    }
#define MEANS                                                                                      \
    {                                                                                              \
        .kind = &egc_layer_global_pool                                                             \
    }
#define FORK                                                                                       \
    {                                                                                              \
        .kind = &egc_layer_fork                                                                    \
    }
#define JOIN(stride_)                                                                              \
    {                                                                                              \
        .kind = &egc_layer_join, .stride = stride_                                                 \
    }

#endif
