/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of every results file. Metrics come from the rows of train/metrics/metrics.def, each
 * table taking those that name it. */
#include "experiment/results/columns.h"

#include <string.h>

#include "base/text.h"

/* clang-format off */
#define TEXT(n, a, h) {.name = n, .unit = "", .help = h, .axis = a, .text = true}
#define NUMBER(n, a, u, h) {.name = n, .unit = u, .help = h, .axis = a}
#define METRIC(type, field, n, u, h) \
    {.name = n, .unit = u, .help = h, .metric = true, .offset = offsetof(type, field)},
/* clang-format on */

#define RUN_ID_COLUMN                                                                              \
    TEXT("run_id", NULL, "16 hex digits that depend on the run's parameters alone")
#define STEP_COLUMN NUMBER("step", NULL, "", "step of training, from 0")

/* First the columns that tell rows apart, then the metrics. */
static const egc_column runs_columns[] = {
    RUN_ID_COLUMN,
    TEXT("experiment", NULL, "name of the experiment"),
    TEXT("workload", "workload", "source of the gradients"),
    TEXT("model", NULL, "model of the workload"),
    TEXT("method", "method", "compressor or preset"),
    TEXT("method_params", NULL, "parameters that differ from the method's defaults, key=value;..."),
    TEXT("algorithm", "algorithm", "training algorithm"),
    TEXT("exchange", "exchange",
         "the exchange used, \"auto\" resolved; of an algorithm with its own, its name"),
    TEXT("cluster", "cluster", "topology of the cluster"),
    NUMBER("bandwidth_Bps", "cluster.bandwidth", "B/s", "bandwidth of a host's link, each way"),
    NUMBER("latency_s", "cluster.latency", "s",
           "latency of the cluster; `describe CLUSTER` says of which part"),
    NUMBER("workers", "workers", "", "workers in training"),
    NUMBER("seed", "seed", "", "seed of the run"),
    NUMBER("steps", "steps", "", "steps asked for"),
    TEXT("status", NULL, "ok, diverged, failed or timeout"),
    TEXT("error", NULL, "why the status is not ok, in one line"),
#define IN_STEP(...)
#define IN_RUN(...) __VA_ARGS__
#define IN_BOTH(...) __VA_ARGS__
#define EGC_METRIC_AS(field, name, unit, tables, over_run, help)                                   \
    IN_##tables(METRIC(egc_metrics, field, name, unit, help))
#include "train/metrics/metrics.def"
#undef IN_STEP
#undef IN_RUN
};

static const egc_column steps_columns[] = {
    RUN_ID_COLUMN,
    STEP_COLUMN,
#define IN_STEP(...) __VA_ARGS__
#define IN_RUN(...)
#define EGC_METRIC_AS(field, name, unit, tables, over_run, help)                                   \
    IN_##tables(METRIC(egc_metrics, field, name, unit, help))
#include "train/metrics/metrics.def"
};

static const egc_column evals_columns[] = {
    RUN_ID_COLUMN,
    STEP_COLUMN,
#define EGC_EVALUATION_METRIC(field, unit, help)                                                   \
    METRIC(egc_evaluation_metrics, field, #field, unit, help)
#include "train/metrics/metrics.def"
};

static const egc_column layers_columns[] = {
    RUN_ID_COLUMN,
    STEP_COLUMN,
    TEXT("unit", NULL, "layer or bucket that is compressed as one"),
#define EGC_UNIT_METRIC(field, unit, help) METRIC(egc_unit_metrics, field, #field, unit, help)
#include "train/metrics/metrics.def"
};

#define COLUMNS(array) array, sizeof array / sizeof *array

const egc_table_type egc_columns_tables[EGC_N_TABLES] = {
    [EGC_TABLE_LAYERS] = {"layers.csv", "one row a unit, step and point (layers = true)",
                          COLUMNS(layers_columns)},
    [EGC_TABLE_STEPS] = {"steps.csv", "one row a step and point", COLUMNS(steps_columns)},
    [EGC_TABLE_EVALS] = {"evals.csv", "one row an evaluation and point (closed loop)",
                         COLUMNS(evals_columns)},
    [EGC_TABLE_RUNS] = {"runs.csv", "one row a point", COLUMNS(runs_columns)},
};

void egc_columns_put_names(egc_table table, egc_buf *row)
{
    for (size_t i = 0; i < egc_columns_tables[table].n_columns; i++)
        egc_text_put_field(row, egc_columns_tables[table].columns[i].name);
}

const egc_column *egc_columns_find(egc_table table, const char *name)
{
    for (size_t i = 0; i < egc_columns_tables[table].n_columns; i++)
        if (strcmp(egc_columns_tables[table].columns[i].name, name) == 0)
            return &egc_columns_tables[table].columns[i];
    return NULL;
}

double egc_columns_value(const egc_column *column, const void *metrics)
{
    double value;
    memcpy(&value, (const char *)metrics + column->offset, sizeof value);
    return value;
}

bool egc_columns_has_axis(const char *axis)
{
    const egc_table_type *runs = &egc_columns_tables[EGC_TABLE_RUNS];
    for (size_t i = 0; i < runs->n_columns; i++)
        if (runs->columns[i].axis && strcmp(runs->columns[i].axis, axis) == 0)
            return true;
    return false;
}
