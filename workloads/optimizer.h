/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SGD and its learning-rate schedules: the one table of them.
 *
 * The update is PyTorch's: d = g + weight_decay x; b <- momentum b + d; x <- x - lr b. A workload
 * states its optimiser; training applies it. A new schedule is one enum constant and one row of the
 * table in optimizer.c. */
#ifndef EGC_WORKLOADS_OPTIMIZER_H
#define EGC_WORKLOADS_OPTIMIZER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum egc_lr_schedule { EGC_LR_SCHEDULE_CONSTANT, EGC_LR_SCHEDULE_COSINE } egc_lr_schedule;

typedef struct egc_optimizer {
    double lr; /* the highest learning rate of the schedule */
    double momentum;
    double weight_decay;
    int schedule;       /* egc_lr_schedule */
    uint64_t lr_warmup; /* steps over which the learning rate rises to lr, before the schedule */
} egc_optimizer;

/* The schedules' names in the order of egc_lr_schedule, NULL-terminated. */
extern const char *const egc_optimizer_schedules[];

/* RANGE, naming the member, unless lr is in (0, inf), momentum in [0, 1), weight_decay in [0, inf)
 * and the schedule one of the table. */
egc_status egc_optimizer_check(const egc_optimizer *optimizer, egc_error *err) EGC_MUST_CHECK;

/* The learning rate at `step`, from 0, of a run of `steps`: lr_warmup steps that rise to lr in
 * equal parts (Goyal et al. 2017, arXiv 1706.02677), then the schedule over the remaining steps;
 * cosine falls from lr to 0 (Loshchilov and Hutter 2017, arXiv 1608.03983, one cycle). */
double egc_optimizer_lr(const egc_optimizer *optimizer, uint64_t step, uint64_t steps);

/* Writes "sgd lr=0.1 momentum=0.9 ..." into out[0..room), cut where it is longer. */
void egc_optimizer_format(const egc_optimizer *optimizer, char *out, size_t room);

/* One update of n parameters at learning rate lr. On return `gradient` holds the direction that was
 * multiplied by lr: d, or b with momentum. velocity is b, n floats that start at 0; NULL applies no
 * momentum (for methods whose error feedback applies it). */
void egc_optimizer_apply(const egc_optimizer *optimizer, double lr, float *gradient,
                         float *velocity, float *parameters, size_t n);

#endif
