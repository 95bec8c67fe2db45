/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The residual network with n = 3 that He et al. use for CIFAR-10: a convolution, three stages of
 * three blocks of two convolutions, the mean of each channel, one linear layer. Stages have 16, 32
 * and 64 channels; the second and third start with stride 2 and have the parameter-free shortcut,
 * option A. Convolutions have no bias: the normalisation behind each has one. 269,722 parameters
 * for ten classes and three colours. */
#include "workloads/train/nets/net.h"

/* clang-format off */
#define CONV(name_, width_, stride_) \
    {.kind = &egc_layer_conv, .name = name_, .width = width_, .kernel = 3, .stride = stride_, \
     .padding = 1, .no_bias = true}
#define NORM(name_, relu_) {.kind = &egc_layer_batch_norm, .name = name_, .relu = relu_}
#define BLOCK(name_, width_, stride_) \
    {.kind = &egc_layer_fork}, \
    CONV(name_ ".conv1", width_, stride_), NORM(name_ ".bn1", true), \
    CONV(name_ ".conv2", width_, 1), NORM(name_ ".bn2", false), \
    {.kind = &egc_layer_join, .stride = stride_}, \
    {.kind = &egc_layer_relu}
/* clang-format on */

static const egc_layer_spec layers[] = {
    CONV("conv1", 16, 1),
    NORM("bn1", true),
    BLOCK("stage1.0", 16, 1),
    BLOCK("stage1.1", 16, 1),
    BLOCK("stage1.2", 16, 1),
    BLOCK("stage2.0", 32, 2),
    BLOCK("stage2.1", 32, 1),
    BLOCK("stage2.2", 32, 1),
    BLOCK("stage3.0", 64, 2),
    BLOCK("stage3.1", 64, 1),
    BLOCK("stage3.2", 64, 1),
    {.kind = &egc_layer_global_pool},
    {.kind = &egc_layer_linear, .name = "fc", .width = EGC_WIDTH_CLASSES},
    {0},
};

const egc_net egc_net_resnet20 = {
    .name = "resnet20",
    .summary = "20 layers with skip connections, made for images of 32 x 32",
    .reference = "He, Zhang, Ren, Sun: Deep residual learning for image recognition, CVPR 2016, "
                 "arXiv:1512.03385",
    .layers = layers,
    .usual_dataset = "shapes32",
};
