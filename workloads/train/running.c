/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Averages the moments of a step over its workers when the next step begins. */
#include "workloads/train/running.h"

#include "base/mem.h"

/* Weight of the moments of a step, as in Ioffe, Szegedy 2015 and PyTorch. */
#define MOMENTUM 0.1

egc_status egc_running_init(egc_running *running, size_t n, size_t workers, egc_error *err)
{
    *running = (egc_running){.n = n, .workers = workers};
    running->moments = egc_calloc(n + 1, sizeof *running->moments);
    running->found = egc_calloc(workers * n + 1, sizeof *running->found);
    running->has_found = egc_calloc(workers, sizeof *running->has_found);
    if (!running->moments || !running->found || !running->has_found)
        return egc_fail_memory(err, (workers + 1) * n * sizeof *running->found);
    return EGC_OK;
}

void egc_running_fini(egc_running *running)
{
    egc_free(running->moments);
    egc_free(running->found);
    egc_free(running->has_found);
    *running = (egc_running){0};
}

static double sum_found(const egc_running *running, size_t i)
{
    double sum = 0;
    for (size_t worker = 0; worker < running->workers; worker++)
        if (running->has_found[worker])
            sum += (double)running->found[worker * running->n + i];
    return sum;
}

static void take_in(egc_running *running)
{
    size_t count = 0;
    for (size_t worker = 0; worker < running->workers; worker++)
        count += running->has_found[worker];
    if (count == 0)
        return;
    for (size_t i = 0; i < running->n; i++) {
        double mean = sum_found(running, i) / (double)count;
        running->moments[i] =
            (float)((1 - MOMENTUM) * (double)running->moments[i] + MOMENTUM * mean);
    }
    for (size_t worker = 0; worker < running->workers; worker++)
        running->has_found[worker] = false;
}

float *egc_running_find(egc_running *running, uint64_t step, size_t worker)
{
    if (step != running->step)
        take_in(running);
    running->step = step;
    running->has_found[worker] = true;
    return running->found + worker * running->n;
}

const float *egc_running_get(egc_running *running)
{
    take_in(running);
    return running->moments;
}
