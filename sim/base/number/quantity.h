/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities with units, in text: "10Gbps", "1.25GB/s", "25us", "64KiB", "15.7Tflops". */
#ifndef EGC_BASE_NUMBER_QUANTITY_H
#define EGC_BASE_NUMBER_QUANTITY_H

#include <stddef.h>

#include "base/error.h"

typedef enum egc_quantity {
    EGC_QUANTITY_NONE,      /* a bare number */
    EGC_QUANTITY_BANDWIDTH, /* bytes per second; bps counts bits, prefixes are powers of ten */
    EGC_QUANTITY_TIME,      /* seconds */
    EGC_QUANTITY_BYTES,     /* KB is 1000 bytes, KiB is 1024 */
    EGC_QUANTITY_FLOPS,     /* floating-point operations per second */
    EGC_QUANTITY_POWER,     /* watts */
} egc_quantity;

/* Sets *out to the value of "NUMBER UNIT" in SI units; the space is optional, and a number without
 * unit is in SI units. FORMAT if text begins with no number; NAME, with the known units, for
 * another unit. */
egc_status egc_quantity_parse(const char *text, egc_quantity quantity, double *out,
                              egc_error *err) EGC_MUST_CHECK;

/* Returns the symbol of the SI unit ("B/s", "s", "B", "flop/s", "W"), or "" for a bare number. */
const char *egc_quantity_symbol(egc_quantity quantity);

#endif
