/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of functions of a positive float: each octave of the argument is cut into 2^CUT equal
 * cells, and within a cell the function is a straight line. A quantile function is then as exact in
 * the tail as in the middle, at the cost of one look-up. */
#ifndef EGC_WORKLOADS_SYNTHETIC_CURVE_H
#define EGC_WORKLOADS_SYNTHETIC_CURVE_H

#include <stdint.h>
#include <string.h>

#include "base/error.h"

typedef struct egc_curve_cell {
    float base, slope; /* slope per unit in the last place of the argument */
} egc_curve_cell;

/* Value of the function at x. hint is the value at the previous, slightly larger x, or 0. */
typedef double (*egc_curve_function)(const void *arg, double x, double hint);

/* The number of cells for [2^low, 2^high], the end included. */
#define EGC_CURVE_SIZE(low, high, cut) ((size_t)((high) - (low)) * ((size_t)1 << (cut)) + 1)

/* Fills in the cells of f on [2^low, 2^high]. */
void egc_curve_fill(egc_curve_cell *cells, int low, int high, int cut, egc_curve_function f,
                    const void *arg);

/* x must be in [2^low, 2^high]. */
static inline float egc_curve_at(const egc_curve_cell *cells, int low, int cut, float x)
{
    int rest = 23 - cut; /* bits of the fraction that give the position in the cell */
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits -= (uint32_t)(low + 127) << 23;
    const egc_curve_cell *cell = &cells[bits >> rest];
    return cell->base + cell->slope * (float)(int32_t)(bits & ((1u << rest) - 1));
}

#endif
