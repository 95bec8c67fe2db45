/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The update of SGD, and the learning-rate schedules as factors of lr over the share of the run
 * that is done. */
#include "workloads/optimizer.h"

#include <math.h>
#include <stdio.h>

static double constant(double done)
{
    (void)done;
    return 1;
}

static double cosine(double done)
{
    return 0.5 * (1 + cos(M_PI * done));
}

/* In the order of egc_lr_schedule. `factor` of lr when a share `done` in [0, 1) of the steps after
 * the warm-up is over. */
static double (*const factors[])(double done) = {constant, cosine};
const char *const egc_optimizer_schedules[] = {"constant", "cosine", NULL};

enum { N_SCHEDULES = sizeof factors / sizeof *factors };
_Static_assert(sizeof egc_optimizer_schedules / sizeof *egc_optimizer_schedules == N_SCHEDULES + 1,
               "a name for each schedule");

static egc_status fail_schedule(int got, egc_error *err)
{
    char valid[128] = "";
    size_t used = 0;
    for (int i = 0; i < N_SCHEDULES; i++)
        used += (size_t)snprintf(valid + used, sizeof valid - used, "%s%d (%s)", i ? " or " : "", i,
                                 egc_optimizer_schedules[i]);
    return egc_fail(err, EGC_ERROR_RANGE, "schedule must be %s, got %d", valid, got);
}

egc_status egc_optimizer_check(const egc_optimizer *optimizer, egc_error *err)
{
    if (!(optimizer->lr > 0 && isfinite(optimizer->lr)))
        return egc_fail(err, EGC_ERROR_RANGE, "lr must be in (0, inf), got %g", optimizer->lr);
    if (!(optimizer->momentum >= 0 && optimizer->momentum < 1))
        return egc_fail(err, EGC_ERROR_RANGE, "momentum must be in [0, 1), got %g",
                        optimizer->momentum);
    if (!(optimizer->weight_decay >= 0 && isfinite(optimizer->weight_decay)))
        return egc_fail(err, EGC_ERROR_RANGE, "weight_decay must be in [0, inf), got %g",
                        optimizer->weight_decay);
    bool known = optimizer->schedule >= 0 && optimizer->schedule < N_SCHEDULES;
    return known ? EGC_OK : fail_schedule(optimizer->schedule, err);
}

double egc_optimizer_lr(const egc_optimizer *optimizer, uint64_t step, uint64_t steps)
{
    uint64_t warmup = optimizer->lr_warmup;
    if (step < warmup)
        return optimizer->lr * (double)(step + 1) / (double)warmup;
    double done = (double)(step - warmup) / (double)(steps - warmup);
    return optimizer->lr * factors[optimizer->schedule](done);
}

void egc_optimizer_format(const egc_optimizer *optimizer, char *out, size_t room)
{
    snprintf(out, room, "sgd lr=%g momentum=%g weight_decay=%g schedule=%s lr_warmup=%llu",
             optimizer->lr, optimizer->momentum, optimizer->weight_decay,
             egc_optimizer_schedules[optimizer->schedule],
             (unsigned long long)optimizer->lr_warmup);
}

void egc_optimizer_apply(const egc_optimizer *optimizer, double lr, float *gradient,
                         float *velocity, float *parameters, size_t n)
{
    float rate = (float)lr, decay = (float)optimizer->weight_decay;
    float momentum = (float)optimizer->momentum;
    for (size_t i = 0; i < n; i++) {
        gradient[i] += decay * parameters[i];
        if (velocity)
            gradient[i] = velocity[i] = momentum * velocity[i] + gradient[i];
        parameters[i] -= rate * gradient[i];
    }
}
