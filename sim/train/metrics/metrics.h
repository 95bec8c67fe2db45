/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a step, a run, an evaluation and a unit: one member for each row of metrics.def,
 * which explains it and names its unit. Sums and means of them over a run. */
#ifndef EGC_TRAIN_METRICS_METRICS_H
#define EGC_TRAIN_METRICS_METRICS_H

#include <stdint.h>

/* One step, or a whole run. NAN where a metric does not apply; in a step's, the metrics of
 * runs.csv alone are 0. */
typedef struct egc_metrics {
#define EGC_METRIC_AS(field, ...) double field;
#include "train/metrics/metrics.def"
} egc_metrics;

typedef struct egc_evaluation_metrics {
#define EGC_EVALUATION_METRIC(field, ...) double field;
#include "train/metrics/metrics.def"
} egc_evaluation_metrics;

typedef struct egc_unit_metrics {
    const char *name; /* a layer's, "FIRST..LAST" of a bucket, or "model" */
#define EGC_UNIT_METRIC(field, ...) double field;
#include "train/metrics/metrics.def"
} egc_unit_metrics;

enum { EGC_METRICS_COUNT = sizeof(egc_metrics) / sizeof(double) };

/* Sums over the steps of a run; zeroed is ready. Arrays are by metric. */
typedef struct egc_metrics_sums {
    double sum[EGC_METRICS_COUNT], last[EGC_METRICS_COUNT];
    uint64_t count[EGC_METRICS_COUNT]; /* steps in which the metric applied */
    double dense_bits, bound_bits;
} egc_metrics_sums;

/* Sets every metric to NAN. */
void egc_metrics_clear(egc_metrics *metrics);

/* Adds a step of a model of n parameters. */
void egc_metrics_sums_add(egc_metrics_sums *sums, const egc_metrics *step, double n);

/* Sets the metrics of a run of a model of n parameters, as over_run says in metrics.def, and leaves
 * those that are GIVEN. Ratios are ratios of sums. NAN where no step has a value. */
void egc_metrics_sums_mean(const egc_metrics_sums *sums, double n, egc_metrics *out);

#endif
