/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a vector that is summed on its way through the network is made of. */
#ifndef EGC_BASE_NUMBER_ELEMENT_H
#define EGC_BASE_NUMBER_ELEMENT_H

#include <stddef.h>

#include "base/public.h"

/* Converts n elements to floats, exactly, and floats to elements, rounding to nearest even and
 * saturating as base/number/half.h says. Elements need no alignment. */
void egc_element_to_float(egc_element element, const void *in, float *out, size_t n);
void egc_element_from_float(egc_element element, const float *in, void *out, size_t n);

#endif
