/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LeNet-5 as it is usually written today: the shapes of the paper, but every map of the second
 * convolution sees all six of the first, and the output layer is linear. 61,706 parameters, with
 * images of 32 x 32 (28 x 28 in a border of 2). */
#include "workloads/profiles/profile.h"

static void list_tensors(egc_profile_list *list)
{
    egc_profile_image image = {1, 32};
    egc_profile_conv(list, "conv1", &image, &(egc_profile_window){6, 5, 1, 0, true});
    egc_profile_pool(&image, 2, 2);
    egc_profile_conv(list, "conv2", &image, &(egc_profile_window){16, 5, 1, 0, true});
    egc_profile_pool(&image, 2, 2);
    egc_profile_linear(list, "fc1", image.channels * image.side * image.side, 120, 1);
    egc_profile_linear(list, "fc2", 120, 84, 1);
    egc_profile_linear(list, "fc3", 84, 10, 1);
}

const egc_profile egc_profile_lenet5 = {
    .name = "lenet5",
    .summary = "LeNet-5 for ten classes, 61,706 parameters (for synthetic)",
    .reference = "LeCun, Bottou, Bengio, Haffner: Gradient-based learning applied to document "
                 "recognition, Proc. IEEE 86(11), 1998; second convolution fully connected",
    .example = "an image of 1 x 32 x 32",
    .batch = 64,
    .batch_reference = "PyTorch's MNIST example",
    .list = list_tensors,
};
