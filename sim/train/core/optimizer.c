/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/core/optimizer.h"

#include <math.h>

double egc_optimizer_lr(const egc_optimizer *optimizer, uint64_t step, uint64_t steps)
{
    if (step < optimizer->lr_warmup)
        return optimizer->lr * (double)(step + 1) / (double)optimizer->lr_warmup;
    double done = (double)(step - optimizer->lr_warmup) / (double)(steps - optimizer->lr_warmup);
    if (optimizer->schedule == EGC_LR_SCHEDULE_COSINE)
        return optimizer->lr * 0.5 * (1 + cos(M_PI * done));
    return optimizer->lr;
}

void egc_optimizer_apply(const egc_optimizer *optimizer, double lr, const float *gradient,
                         float *velocity, float *parameters, size_t n)
{
    float rate = (float)lr, decay = (float)optimizer->weight_decay;
    float momentum = (float)optimizer->momentum;
    for (size_t i = 0; i < n; i++) {
        float direction = gradient[i] + decay * parameters[i];
        if (velocity)
            direction = velocity[i] = momentum * velocity[i] + direction;
        parameters[i] -= rate * direction;
    }
}
