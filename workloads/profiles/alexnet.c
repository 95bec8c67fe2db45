/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AlexNet without groups, as torchvision has it: 61,100,840 parameters. (The first AlexNet, split
 * over two GPUs, has 60,965,224.) */
#include "workloads/profiles/profile.h"

static void list_tensors(egc_profile_list *list)
{
    egc_profile_image image = {3, 224};
    egc_profile_conv(list, "features.0", &image, &(egc_profile_window){64, 11, 4, 2, true});
    egc_profile_pool(&image, 3, 2);
    egc_profile_conv(list, "features.3", &image, &(egc_profile_window){192, 5, 1, 2, true});
    egc_profile_pool(&image, 3, 2);
    egc_profile_conv(list, "features.6", &image, &(egc_profile_window){384, 3, 1, 1, true});
    egc_profile_conv(list, "features.8", &image, &(egc_profile_window){256, 3, 1, 1, true});
    egc_profile_conv(list, "features.10", &image, &(egc_profile_window){256, 3, 1, 1, true});
    egc_profile_pool(&image, 3, 2);
    egc_profile_linear(list, "classifier.1", image.channels * image.side * image.side, 4096, 1);
    egc_profile_linear(list, "classifier.4", 4096, 4096, 1);
    egc_profile_linear(list, "classifier.6", 4096, 1000, 1);
}

const egc_profile egc_profile_alexnet = {
    .name = "alexnet",
    .summary = "AlexNet for ImageNet without groups, 61,100,840 parameters (for synthetic)",
    .reference = "Krizhevsky: One weird trick for parallelizing convolutional neural networks, "
                 "2014 (arXiv 1404.5997); names are torchvision's",
    .example = "an image of 3 x 224 x 224",
    .batch = 128,
    .batch_reference = "Krizhevsky 2014",
    .list = list_tensors,
};
