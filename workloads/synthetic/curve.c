/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills tables of cells from a function, one call for each boundary. */
#include "workloads/synthetic/curve.h"

#include <math.h>
#include <stddef.h>

/* From the right, because quantile functions are steepest at small arguments and each point is
 * found from its neighbour. */
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
