/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Crops and mirrors row by row, with zeros outside the image. */
#include "workloads/train/augment.h"

#include <stdbool.h>
#include <string.h>

#include "base/rng.h"

enum { PAD = 4 };

/* Copies one row, shifted left by dx pixels; zeros enter at the end. */
static void copy_row(const float *from, long width, long dx, bool mirror, float *to)
{
    for (long x = 0; x < width; x++) {
        const long source = (mirror ? width - 1 - x : x) + dx;
        to[x] = source >= 0 && source < width ? from[source] : 0;
    }
}

void egc_augment(const egc_shape *shape, uint64_t seed, const float *image, float *out)
{
    uint64_t state = seed;
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    const long height = (long)shape->dims[1], width = (long)shape->dims[2];
    const long dy = (long)gsl_rng_uniform_int(&rng, 2 * PAD + 1) - PAD;
    const long dx = (long)gsl_rng_uniform_int(&rng, 2 * PAD + 1) - PAD;
    const bool mirror = gsl_rng_uniform_int(&rng, 2) == 1;
    for (size_t channel = 0; channel < shape->dims[0]; channel++) {
        for (long y = 0; y < height; y++) {
            const bool is_inside = y + dy >= 0 && y + dy < height;
            if (is_inside)
                copy_row(image + (y + dy) * width, width, dx, mirror, out + y * width);
            else
                memset(out + y * width, 0, (size_t)width * sizeof *out);
        }
        image += height * width;
        out += height * width;
    }
}
