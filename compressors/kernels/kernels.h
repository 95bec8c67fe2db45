/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loops over whole vectors that everything else is made of.
 *
 * kernels_template.h holds the one source of every loop, in plain C; each variant compiles it
 * for another instruction set. Sums run over 16 interleaved partial sums that are folded in a
 * fixed order, and multiplications are never contracted with additions, so all variants give the
 * same bits. Vectors need no alignment. */
#ifndef EGC_KERNELS_KERNELS_H
#define EGC_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Norms of a vector, computed while it is written. */
typedef struct egc_norms {
    double norm2;  /* sum of squares */
    float max_abs; /* largest magnitude */
} egc_norms;

typedef struct egc_kernels {
    const char *name;

    /* sum of x[i]^2: not finite exactly when some x[i] is not (a float's square always fits). */
    double (*norm2)(const float *x, size_t n);

    /* sum of x[i] * y[i] */
    double (*dot)(const float *x, const float *y, size_t n);

    /* max |x[i]|; 0 for n = 0 */
    float (*max_abs)(const float *x, size_t n);

    /* y[i] += a * x[i] */
    void (*axpy)(float a, const float *x, float *y, size_t n);

    /* u <- m u + s g; v <- v + u. Returns the norms of the new v. */
    egc_norms (*momentum)(float m, float s, const float *g, float *u, float *v, size_t n);

    /* u <- m (u + s g); v <- v + u + s g. Returns the norms of the new v. */
    egc_norms (*nesterov)(float m, float s, const float *g, float *u, float *v, size_t n);

    /* v <- v + s g. Returns the norms of the new v. */
    egc_norms (*residual)(float s, const float *g, float *v, size_t n);

    /* counts[min(bins - 1, floor((|x[i]| - lo) / width))]++ for all i, every |x[i]| >= lo.
     * counts holds 4 * bins zeroed numbers on entry; the first `bins` hold the result. Returns
     * how many x[i] are 0 (they are counted too, in the first bin when lo is 0). */
    size_t (*histogram)(const float *x, size_t n, double lo, double width, uint32_t bins,
                        uint32_t *counts);

    /* The i with |x[i]| >= threshold, ascending, into index (room for n). Returns how many. */
    size_t (*select)(const float *x, size_t n, float threshold, uint32_t *index);
} egc_kernels;

/* The variant in use: the best the CPU can run, until egc_kernels_use chose another. */
const egc_kernels *egc_kernels_get(void);

/* Every variant built in, best first, NULL-terminated, whether or not this CPU can run it. */
const egc_kernels *const *egc_kernels_all(void);

/* Uses the variant called name from now on. NAME, listing the valid ones; UNSUPPORTED when the
 * CPU lacks it. */
egc_status egc_kernels_use(const char *name, egc_error *err) EGC_MUST_CHECK;

#endif
