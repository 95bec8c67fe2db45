/* SPDX-License-Identifier: GPL-3.0-or-later */
/* VGG-16 (configuration D) for ImageNet: 138,357,544 parameters, 102,764,544 of them in one matrix.
 * Names are torchvision's, which numbers activations and pools too. */
#include <stdio.h>

#include "workloads/profiles/profile.h"

static void list_tensors(egc_profile_list *list)
{
    static const struct {
        int convolutions;
        size_t width;
    } stages[] = {{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}};
    egc_profile_image image = {3, 224};
    int position = 0;
    for (size_t s = 0; s < sizeof stages / sizeof *stages; s++) {
        for (int i = 0; i < stages[s].convolutions; i++) {
            char name[32];
            snprintf(name, sizeof name, "features.%d", position);
            egc_profile_conv(list, name, &image,
                             &(egc_profile_window){stages[s].width, 3, 1, 1, true});
            position += 2; /* itself and its relu */
        }
        egc_profile_pool(&image, 2, 2);
        position++;
    }
    egc_profile_linear(list, "classifier.0", image.channels * image.side * image.side, 4096, 1);
    egc_profile_linear(list, "classifier.3", 4096, 4096, 1);
    egc_profile_linear(list, "classifier.6", 4096, 1000, 1);
}

const egc_profile egc_profile_vgg16 = {
    .name = "vgg16",
    .summary = "VGG-16 for ImageNet, 138,357,544 parameters (for synthetic)",
    .reference = "Simonyan, Zisserman: Very deep convolutional networks for large-scale image "
                 "recognition, ICLR 2015 (arXiv 1409.1556); names are torchvision's",
    .example = "an image of 3 x 224 x 224",
    .batch = 64,
    .batch_reference = "Simonyan and Zisserman 2015: 256 on four GPUs",
    .list = list_tensors,
};
