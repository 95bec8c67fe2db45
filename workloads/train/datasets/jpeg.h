/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes a JPEG image by libjpeg. */
#ifndef EGC_WORKLOADS_TRAIN_DATASETS_JPEG_H
#define EGC_WORKLOADS_TRAIN_DATASETS_JPEG_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Writes the red, green and blue planes of a square image of size x size, at most 256, to out. Grey
 * images have three equal planes. FORMAT when data is not such an image, or ends early. */
egc_status egc_jpeg_decode(const uint8_t *data, size_t len, size_t size, uint8_t *out,
                           egc_error *err) EGC_MUST_CHECK;

#endif
