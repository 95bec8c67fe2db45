/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Piecewise interpolation between neighbouring samples, by the rules in the header. */
#include "train/cost/cost_table.h"

#include <math.h>
#include <stdbool.h>

/* One of the two times of a sample. */
typedef struct point {
    double n, s;
} point;

static point point_of(const egc_cost_curve *curve, size_t i, size_t offset)
{
    const egc_cost_sample *sample = &curve->samples[i];
    return (point){sample->elements, *(const double *)((const char *)sample + offset)};
}

static double between(point a, point b, double n)
{
    if (!(a.s > 0 && b.s > 0))
        return a.s + (b.s - a.s) * (n - a.n) / (b.n - a.n);
    return a.s * pow(n / a.n, log(b.s / a.s) / log(b.n / a.n));
}

/* Extrapolates beyond `end`; `other` is the sample next to it. */
static double beyond(point end, point other, double n)
{
    double per_element = (end.s - other.s) / (end.n - other.n);
    bool is_line = per_element >= 0 && (n > end.n || per_element * end.n <= end.s);
    return is_line ? end.s + per_element * (n - end.n) : end.s * n / end.n;
}

static double seconds(const egc_cost_curve *curve, size_t offset, double n)
{
    size_t last = curve->n_samples - 1, next = 0;
    while (next <= last && curve->samples[next].elements < n)
        next++;
    if (last == 0) {
        point only = point_of(curve, 0, offset);
        return only.s * n / only.n;
    }
    if (next == 0)
        return beyond(point_of(curve, 0, offset), point_of(curve, 1, offset), n);
    if (next > last)
        return beyond(point_of(curve, last, offset), point_of(curve, last - 1, offset), n);
    return between(point_of(curve, next - 1, offset), point_of(curve, next, offset), n);
}

double egc_cost_table_encode(const egc_cost_curve *curve, double n)
{
    return seconds(curve, offsetof(egc_cost_sample, encode_s), n);
}

double egc_cost_table_decode(const egc_cost_curve *curve, double n)
{
    return seconds(curve, offsetof(egc_cost_sample, decode_s), n);
}
