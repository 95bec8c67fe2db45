/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both metrics need whole vectors of the step or run: at most four of n floats, allocated as one.
 */
#include "train/metrics/fidelity.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/kernels.h"

egc_status egc_fidelity_init(egc_fidelity *f, size_t n, bool has_momentum, double momentum,
                             bool nesterov, egc_error *err)
{
    size_t bytes = (has_momentum ? 4 : 3) * n * sizeof(float);
    float *all = egc_calloc(1, bytes);
    *f = (egc_fidelity){.n = n, .momentum = momentum, .nesterov = nesterov};
    if (!all)
        return egc_fail_memory(err, bytes);
    f->truth = all;
    f->truth_sum = all + n;
    f->error_sum = all + 2 * n;
    f->velocity = has_momentum ? all + 3 * n : NULL;
    return EGC_OK;
}

void egc_fidelity_fini(egc_fidelity *f)
{
    egc_free(f->truth);
    *f = (egc_fidelity){0};
}

void egc_fidelity_begin(egc_fidelity *f)
{
    memset(f->truth, 0, f->n * sizeof *f->truth);
}

void egc_fidelity_add(egc_fidelity *f, const float *gradient, bool finite)
{
    if (finite) {
        egc_kernels_get()->axpy(1, gradient, f->truth, f->n);
        return;
    }
    for (size_t i = 0; i < f->n; i++)
        f->truth[i] += isfinite(gradient[i]) ? gradient[i] : 0;
}

/* Turns the sum of gradients into the true update. */
static void finish_truth(egc_fidelity *f, size_t n_workers)
{
    float share = 1 / (float)n_workers, m = (float)f->momentum;
    for (size_t i = 0; i < f->n; i++) {
        float mean = share * f->truth[i];
        f->truth[i] = mean;
        if (!f->velocity)
            continue;
        f->velocity[i] = f->nesterov ? m * (f->velocity[i] + mean) : m * f->velocity[i] + mean;
        f->truth[i] = f->nesterov ? f->velocity[i] + mean : f->velocity[i];
    }
}

void egc_fidelity_end(egc_fidelity *f, size_t n_workers, const float *applied, double *cosine,
                      double *drift)
{
    const egc_kernels *kernels = egc_kernels_get();
    finish_truth(f, n_workers);
    double norms = sqrt(kernels->norm2(applied, f->n) * kernels->norm2(f->truth, f->n));
    *cosine = norms > 0 ? kernels->dot(applied, f->truth, f->n) / norms : NAN;
    for (size_t i = 0; i < f->n; i++) {
        f->truth_sum[i] += f->truth[i];
        f->error_sum[i] += applied[i] - f->truth[i];
    }
    double truth = sqrt(kernels->norm2(f->truth_sum, f->n));
    *drift = truth > 0 ? sqrt(kernels->norm2(f->error_sum, f->n)) / truth : NAN;
}
