/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Softmax regression: the convex one. */
#include "workloads/train/nets/net.h"

static const egc_layer_spec layers[] = {
    {.kind = &egc_layer_linear, .name = "fc", .width = EGC_WIDTH_CLASSES},
    {0},
};

const egc_net egc_net_softmax = {
    .name = "softmax",
    .summary = "softmax regression: inputs to classes, a convex problem",
    .reference = "Cox: The regression analysis of binary sequences, J. R. Stat. Soc. B 20(2), 1958",
    .layers = layers,
    .usual_dataset = "fashion-mnist",
};
