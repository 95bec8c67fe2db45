/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/train/datasets/idx.h"

const egc_dataset_type egc_dataset_fashion_mnist = {
    .name = "fashion-mnist",
    .summary = "70,000 grey images of 28 x 28, ten kinds of clothing",
    .reference = "Xiao, Rasul, Vollgraf: Fashion-MNIST, arXiv:1708.07747",
    .folder = "fashion-mnist",
    .shape = {3, {1, 28, 28}},
    .classes = 10,
    .mean = {0.2860406}, /* counted over the 60,000 training images */
    .deviation = {0.3530242},
    .remedy = "install the Debian package dataset-fashion-mnist, or set path to a folder with the "
              "four .gz files of the data set",
    .load = egc_idx_load,
};
