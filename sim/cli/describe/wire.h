/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a method costs on the wire, measured on one known input. */
#ifndef EGC_CLI_DESCRIBE_WIRE_H
#define EGC_CLI_DESCRIBE_WIRE_H

#include "compressors/core/method.h"

/* Bits an element that one worker sends at its first step, in all rounds, for a layer of 1000 x
 * 1000 Gaussian values. MEMORY. */
egc_status egc_wire_bits(const egc_method *method, double *bits, egc_error *err) EGC_MUST_CHECK;

#endif
