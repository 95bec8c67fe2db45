/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plain multi-layer perceptron: nearly all of its parameters lie in one matrix, and it trains
 * several times faster than the convolutions do. */
#include "workloads/train/nets/net.h"

static const egc_layer_spec layers[] = {
    {.kind = &egc_layer_linear, .name = "fc1", .width = 256},
    {.kind = &egc_layer_relu},
    {.kind = &egc_layer_linear, .name = "fc2", .width = 128},
    {.kind = &egc_layer_relu},
    {.kind = &egc_layer_linear, .name = "fc3", .width = EGC_WIDTH_CLASSES},
    {0},
};

const egc_net egc_net_mlp = {
    .name = "mlp",
    .summary = "three linear layers: inputs to 256, to 128, to the classes",
    .reference = "Rumelhart, Hinton, Williams: Learning representations by back-propagating "
                 "errors, Nature 323, 1986",
    .layers = layers,
    .usual_dataset = "fashion-mnist",
};
