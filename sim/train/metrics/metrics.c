/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums and means over the steps of a run. A struct of doubles alone, egc_metrics is copied to an
 * array and walked by index, so that a new row of metrics.def needs no code here. */
#include "train/metrics/metrics.h"

#include <math.h>
#include <string.h>

typedef enum over_run { MEAN, TOTAL, SCALED, LAST, DERIVED, GIVEN } over_run;

static const over_run over_runs[EGC_METRICS_COUNT] = {
#define EGC_METRIC_AS(field, column, unit, tables, over_run, help) over_run,
#include "train/metrics/metrics.def"
};

void egc_metrics_clear(egc_metrics *metrics)
{
    double values[EGC_METRICS_COUNT];
    for (int i = 0; i < EGC_METRICS_COUNT; i++)
        values[i] = NAN;
    memcpy(metrics, values, sizeof values);
}

void egc_metrics_sums_add(egc_metrics_sums *sums, const egc_metrics *step, double n)
{
    memcpy(sums->last, step, sizeof sums->last);
    for (int i = 0; i < EGC_METRICS_COUNT; i++)
        if (!isnan(sums->last[i])) {
            sums->sum[i] += sums->last[i];
            sums->count[i]++;
        }
    sums->dense_bits += 32 * n;
    if (!isnan(step->bound_ratio))
        sums->bound_bits += 32 * n / step->bound_ratio;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

void egc_metrics_sums_mean(const egc_metrics_sums *sums, double n, egc_metrics *out)
{
    double values[EGC_METRICS_COUNT];
    memcpy(values, out, sizeof values);
    for (int i = 0; i < EGC_METRICS_COUNT; i++) {
        double count = (double)sums->count[i], mean = ratio(sums->sum[i], count);
        if (over_runs[i] == MEAN)
            values[i] = mean;
        else if (over_runs[i] == TOTAL)
            values[i] = count > 0 ? sums->sum[i] : NAN;
        else if (over_runs[i] == SCALED)
            values[i] = mean * count;
        else if (over_runs[i] == LAST)
            values[i] = sums->last[i];
    }
    memcpy(out, values, sizeof values);
    out->compression_ratio = ratio(4 * n, out->sent_bytes);
    out->element_ratio = ratio(1, out->density);
    out->bound_ratio = ratio(sums->dense_bits, sums->bound_bits);
    out->fill_in = ratio(out->union_density, out->density);
}
