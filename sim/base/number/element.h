/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Number formats of vectors that are summed on their way through the network. */
#ifndef EGC_BASE_NUMBER_ELEMENT_H
#define EGC_BASE_NUMBER_ELEMENT_H

#include <stddef.h>

#include "base/public.h"

/* Convert n elements: to float, which is exact, and from float, which rounds and saturates as
 * base/number/half.h does. Elements need no alignment. */
void egc_element_to_float(egc_element element, const void *in, float *out, size_t n);
void egc_element_from_float(egc_element element, const float *in, void *out, size_t n);

#endif
