/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LeNet-5's shape (LeCun, Bottou, Bengio, Haffner 1998) with today's max-pooling and relu. Relu
 * comes after the pool: both orders give the same numbers, and this one has a quarter of them. */
#include "workloads/train/nets/net.h"

static const egc_layer_spec layers[] = {
    {.kind = &egc_layer_conv, .name = "conv1", .width = 8, .kernel = 5},
    {.kind = &egc_layer_max_pool, .kernel = 2},
    {.kind = &egc_layer_relu},
    {.kind = &egc_layer_conv, .name = "conv2", .width = 16, .kernel = 5},
    {.kind = &egc_layer_max_pool, .kernel = 2},
    {.kind = &egc_layer_relu},
    {.kind = &egc_layer_linear, .name = "fc1", .width = 512},
    {.kind = &egc_layer_relu},
    {.kind = &egc_layer_linear, .name = "fc2", .width = 128},
    {.kind = &egc_layer_relu},
    {.kind = &egc_layer_linear, .name = "fc3", .width = EGC_WIDTH_CLASSES},
    {0},
};

const egc_net egc_net_cnn = {
    .name = "cnn",
    .summary = "two 5 x 5 convolutions and two linear layers, after LeNet-5",
    .reference = "LeCun, Bottou, Bengio, Haffner: Gradient-based learning applied to document "
                 "recognition, Proc. IEEE 86(11), 1998",
    .layers = layers,
    .usual_dataset = "fashion-mnist",
};
