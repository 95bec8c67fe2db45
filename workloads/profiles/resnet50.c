/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ResNet-50 as torchvision has it: the stride of a bottleneck is in its 3 x 3 convolution, which
 * costs 4.09 G multiply-adds an image where the paper's has 3.8. 25,557,032 parameters. */
#include "workloads/profiles/profile.h"

static void list_conv_norm(egc_profile_list *list, const char *conv, const char *norm,
                           egc_profile_image *image, const egc_profile_window *window)
{
    egc_profile_conv(list, conv, image, window);
    egc_profile_norm(list, norm, window->width);
}

static void list_bottleneck(egc_profile_list *list, int stage, int block, egc_profile_image *image)
{
    size_t width = (size_t)32 << stage, stride = stage > 1 && block == 0 ? 2 : 1;
    egc_profile_image shortcut = *image;
    egc_profile_scope(list, "layer%d.%d.", stage, block);
    list_conv_norm(list, "conv1", "bn1", image, &(egc_profile_window){width, 1, 1, 0, false});
    list_conv_norm(list, "conv2", "bn2", image, &(egc_profile_window){width, 3, stride, 1, false});
    list_conv_norm(list, "conv3", "bn3", image, &(egc_profile_window){4 * width, 1, 1, 0, false});
    if (block == 0)
        list_conv_norm(list, "downsample.0", "downsample.1", &shortcut,
                       &(egc_profile_window){4 * width, 1, stride, 0, false});
}

static void list_tensors(egc_profile_list *list)
{
    static const int blocks[] = {3, 4, 6, 3};
    egc_profile_image image = {3, 224};
    list_conv_norm(list, "conv1", "bn1", &image, &(egc_profile_window){64, 7, 2, 3, false});
    image.side /= 2; /* the pool: 3 x 3, stride 2, padding 1 */
    for (int stage = 1; stage <= 4; stage++)
        for (int block = 0; block < blocks[stage - 1]; block++)
            list_bottleneck(list, stage, block, &image);
    egc_profile_scope_end(list);
    egc_profile_linear(list, "fc", 2048, 1000, 1);
}

const egc_profile egc_profile_resnet50 = {
    .name = "resnet50",
    .summary = "ResNet-50 for ImageNet, 25,557,032 parameters (for synthetic)",
    .reference = "He, Zhang, Ren, Sun: Deep residual learning for image recognition, CVPR 2016 "
                 "(arXiv 1512.03385); names and strides are torchvision's",
    .example = "an image of 3 x 224 x 224",
    .batch = 32,
    .batch_reference = "Goyal et al. 2017 (arXiv 1706.02677)",
    .list = list_tensors,
};
