/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bisects from the enclosing multiples of D down to the step, and keeps z of both ends as sums over
 * innovations. */
#include "workloads/synthetic/series.h"

#include <math.h>

/* A z of the bisection, as a sum over the innovations found so far. */
typedef struct point {
    uint64_t step;
    double weight[EGC_SERIES_MOST];
} point;

static uint64_t length_for(double correlation)
{
    uint64_t length = 1;
    double at_length = correlation;
    while (at_length > 1.0 / 64 && length < (uint64_t)1 << 62) {
        at_length *= at_length;
        length *= 2;
    }
    return length;
}

void egc_series_at(double correlation, uint64_t step, egc_series *out)
{
    uint64_t length = length_for(correlation);
    point left = {.step = step - step % length, .weight = {1}};
    point right = {.step = left.step + length, .weight = {0, 1}};
    *out = (egc_series){.n = 1, .step = {left.step}, .weight = {1}};
    if (correlation >= 1) { /* no series: all steps equal the first */
        out->step[0] = 0;
        return;
    }
    if (step == left.step)
        return;
    out->n = 2;
    out->step[1] = right.step;
    double between = 0; /* correlation of left and right */
    for (;;) {
        uint64_t half = (right.step - left.step) / 2;
        point middle = {.step = left.step + half};
        double at_half = pow(correlation, (double)half), a = at_half / (1 + between);
        for (size_t i = 0; i < out->n; i++)
            middle.weight[i] = a * (left.weight[i] + right.weight[i]);
        middle.weight[out->n] = sqrt(1 - 2 * a * a * (1 + between));
        out->step[out->n++] = middle.step;
        between = at_half;
        if (middle.step == step) {
            for (size_t i = 0; i < out->n; i++)
                out->weight[i] = middle.weight[i];
            return;
        }
        if (step < middle.step)
            right = middle;
        else
            left = middle;
    }
}
