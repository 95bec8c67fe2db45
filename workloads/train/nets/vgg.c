/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first four convolutions of VGG's smallest configuration, A, at half their width, with batch
 * normalisation and one smaller linear layer: for images of 32 x 32. 768,298 parameters for ten
 * classes and three colours, two thirds of them in fc1. */
#include "workloads/train/nets/net.h"

/* clang-format off */
#define CONV(number_, width_) \
    {.kind = &egc_layer_conv, .name = "conv" number_, .width = width_, .kernel = 3, .padding = 1, \
     .no_bias = true}, \
    {.kind = &egc_layer_batch_norm, .name = "bn" number_, .relu = true}
#define POOL {.kind = &egc_layer_max_pool, .kernel = 2}
/* clang-format on */

static const egc_layer_spec layers[] = {
    CONV("1", 32),
    POOL,
    CONV("2", 64),
    POOL,
    CONV("3", 128),
    CONV("4", 128),
    POOL,
    {.kind = &egc_layer_linear, .name = "fc1", .width = 256},
    {.kind = &egc_layer_relu},
    {.kind = &egc_layer_linear, .name = "fc2", .width = EGC_WIDTH_CLASSES},
    {0},
};

const egc_net egc_net_vgg = {
    .name = "vgg",
    .summary = "four 3 x 3 convolutions with batch normalisation and two linear layers, after VGG",
    .reference = "Simonyan, Zisserman: Very deep convolutional networks for large-scale image "
                 "recognition, ICLR 2015, arXiv:1409.1556",
    .layers = layers,
    .usual_dataset = "shapes32",
};
