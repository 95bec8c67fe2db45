/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SGD, as PyTorch defines it: d = g + weight_decay x; b <- m b + d; x <- x - lr b. */
#ifndef EGC_TRAIN_CORE_OPTIMIZER_H
#define EGC_TRAIN_CORE_OPTIMIZER_H

#include "workloads/workload.h"

/* The learning rate at `step` of `steps`: lr_warmup steps that rise to lr in equal parts (Goyal et
 * al. 2017, arXiv:1706.02677), then the schedule over the rest; cosine goes from lr to 0
 * (Loshchilov and Hutter 2017, arXiv:1608.03983, one cycle). */
double egc_optimizer_lr(const egc_optimizer *optimizer, uint64_t step, uint64_t steps);

/* One update of n parameters. velocity holds the momentum buffer; NULL applies none (methods whose
 * memory applies momentum). */
void egc_optimizer_apply(const egc_optimizer *optimizer, double lr, const float *gradient,
                         float *velocity, float *parameters, size_t n);

#endif
