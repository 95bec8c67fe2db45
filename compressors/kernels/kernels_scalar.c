/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference: compiled without vector instructions of its own. */
extern const struct egc_kernels egc_kernels_scalar;
#define VARIANT egc_kernels_scalar
#define VARIANT_NAME "scalar"
#include "kernels/kernels_template.h"
