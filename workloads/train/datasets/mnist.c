/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/train/datasets/idx.h"

const egc_dataset_type egc_dataset_mnist = {
    .name = "mnist",
    .summary = "70,000 grey images of 28 x 28, ten handwritten digits",
    .reference = "LeCun, Cortes, Burges: The MNIST database of handwritten digits",
    .folder = "mnist",
    .shape = {3, {1, 28, 28}},
    .classes = 10,
    .mean = {0.1307}, /* as published with many implementations, to four digits */
    .deviation = {0.3081},
    .remedy = "set path to a folder with the four .gz files of the data set",
    .load = egc_idx_load,
};
