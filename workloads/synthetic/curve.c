/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/synthetic/curve.h"

#include <math.h>
#include <stddef.h>

/* From the right: a point's neighbour is found from it, and quantile functions are steepest at
 * small arguments. */
void egc_curve_fill(egc_curve_cell *cells, int low, int high, int cut, egc_curve_function f,
                    const void *arg)
{
    size_t n = EGC_CURVE_SIZE(low, high, cut) - 1, per_octave = (size_t)1 << cut;
    double right = f(arg, ldexp(1, high), 0);
    cells[n] = (egc_curve_cell){.base = (float)right};
    for (size_t i = n; i-- > 0;) {
        double within = (double)(i % per_octave) / (double)per_octave;
        double left = f(arg, ldexp(1 + within, low + (int)(i / per_octave)), right);
        cells[i] = (egc_curve_cell){(float)left, (float)ldexp(right - left, cut - 23)};
        right = left;
    }
}
