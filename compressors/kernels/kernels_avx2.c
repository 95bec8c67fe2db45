/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same loops for AVX2; built with -mavx2, which does not bring fused multiply-add. */
extern const struct egc_kernels egc_kernels_avx2;
#define VARIANT egc_kernels_avx2
#define VARIANT_NAME "avx2"
#include "kernels/kernels_template.h"
