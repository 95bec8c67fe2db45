/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ResNet-20 for CIFAR-10: 1 + 3 x 3 x 2 convolutions and a linear layer. Shortcuts have no
 * parameters: where the width doubles they skip every second pixel and pad with zeros (option A).
 * 269,722 parameters. */
#include "workloads/profiles/profile.h"

static void list_block(egc_profile_list *list, size_t width, size_t stride,
                       egc_profile_image *image)
{
    egc_profile_conv(list, "conv1", image, &(egc_profile_window){width, 3, stride, 1, false});
    egc_profile_norm(list, "bn1", width);
    egc_profile_conv(list, "conv2", image, &(egc_profile_window){width, 3, 1, 1, false});
    egc_profile_norm(list, "bn2", width);
}

static void list_tensors(egc_profile_list *list)
{
    egc_profile_image image = {3, 32};
    egc_profile_conv(list, "conv1", &image, &(egc_profile_window){16, 3, 1, 1, false});
    egc_profile_norm(list, "bn1", 16);
    for (int stage = 1; stage <= 3; stage++)
        for (int block = 0; block < 3; block++) {
            egc_profile_scope(list, "layer%d.%d.", stage, block);
            list_block(list, (size_t)8 << stage, stage > 1 && block == 0 ? 2 : 1, &image);
        }
    egc_profile_scope_end(list);
    egc_profile_linear(list, "linear", 64, 10, 1);
}

const egc_profile egc_profile_resnet20 = {
    .name = "resnet20",
    .summary = "ResNet-20 for CIFAR-10, shortcuts of option A, 269,722 parameters (for synthetic)",
    .reference = "He, Zhang, Ren, Sun: Deep residual learning for image recognition, CVPR 2016, "
                 "section 4.2 (arXiv 1512.03385)",
    .example = "an image of 3 x 32 x 32",
    .batch = 128,
    .batch_reference = "He et al. 2016, section 4.2",
    .list = list_tensors,
};
