/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The usual augmentation of small images (He, Zhang, Ren, Sun 2016, as others before): pad by four
 * pixels on each side, crop the original size at a random place, mirror every second image. Pads
 * are zero after normalisation, the mean colour. */
#ifndef EGC_WORKLOADS_TRAIN_AUGMENT_H
#define EGC_WORKLOADS_TRAIN_AUGMENT_H

#include <stdint.h>

#include "workloads/train/layers/layer.h"

/* Writes an augmented copy of an image of the given shape. seed determines place and mirroring. */
void egc_augment(const egc_shape *shape, uint64_t seed, const float *image, float *out);

#endif
