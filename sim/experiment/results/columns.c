/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/results/columns.h"

#include <string.h>

#define TEXT(name, help)                                                                           \
    {                                                                                              \
        name, "", help, true, EGC_COLUMN_ELSEWHERE                                                 \
    }
#define NUMBER(name, unit, help)                                                                   \
    {                                                                                              \
        name, unit, help, false, EGC_COLUMN_ELSEWHERE                                              \
    }
#define METRIC(field, unit, help)                                                                  \
    {                                                                                              \
#field, unit, help, false, offsetof(egc_step_metrics, field)                               \
    }

#define RUN_ID TEXT("run_id", "16 hex digits that depend on the run's parameters alone")
#define STEP NUMBER("step", "", "step of training, from 0")

/* In steps.csv of that step, in runs.csv the mean over steps. */
#define TRAFFIC_COLUMNS                                                                            \
    METRIC(sent_bytes, "B", "mean per worker and step: messages produced, headers included"),      \
        METRIC(recv_bytes, "B", "mean per worker and step: what the exchange delivered"),          \
        METRIC(compression_ratio, "", "dense_bytes / sent_bytes"),                                 \
        METRIC(element_ratio, "", "n / k: elements of the gradient over elements sent"),           \
        METRIC(bound_ratio, "",                                                                    \
               "ratio at the information bound: 32 n over log2 C(n, k) + 32 k, by unit"),          \
        METRIC(density, "", "k / n: share of the elements that is sent"),                          \
        METRIC(rel_error, "", "||x' - x|| / ||x|| of what the compressor was given"),              \
        METRIC(cosine, "", "between the applied average and the true average gradient"),           \
        METRIC(energy_kept, "", "||sent||^2 / ||input||^2")
#define MEMORY_COLUMNS                                                                             \
    METRIC(residual_norm, "", "||v|| / ||g||: what the memory keeps, against the gradient"),       \
        METRIC(staleness, "steps",                                                                 \
               "mean steps from a gradient's arrival to its sending, weighted by |value|")
#define TIME_COLUMNS                                                                               \
    METRIC(step_s, "s", "simulated time of a step"),                                               \
        METRIC(compute_s, "s", "busy time of forward and backward pass, mean over workers"),       \
        METRIC(compress_s, "s", "busy time of compression, mean over workers"),                    \
        METRIC(decompress_s, "s", "busy time of decompression, mean over workers"),                \
        METRIC(comm_s, "s", "busy time of communication, mean over workers"),                      \
        METRIC(exposed_comm_s, "s",                                                                \
               "exchange not hidden behind computation, and waits for other workers")
#define FILL_COLUMNS                                                                               \
    METRIC(union_density, "",                                                                      \
           "share of the elements that any worker sends, where they are chosen"),                  \
        METRIC(fill_in, "",                                                                        \
               "union_density / density: 1 when all send the same, workers when none do")
#define CONSENSUS                                                                                  \
    METRIC(consensus, "", "gossip: sqrt(mean ||x - m||^2) / ||m||, m the mean of all workers' x")
#define DELAY                                                                                      \
    METRIC(                                                                                        \
        delay, "updates",                                                                          \
        "mean updates between the pull of the parameters a gradient was computed on and its own")
/* In steps.csv of that step, in runs.csv of all. */
#define ENERGY_COLUMNS                                                                             \
    METRIC(host_joules, "J",                                                                       \
           "consumed by the workers' hosts, in the step or run (energy = true)"),                  \
        METRIC(link_joules, "J",                                                                   \
               "consumed by the links of the cluster (energy = true), likewise"),                  \
        METRIC(joules, "J", "consumed by both (energy = true)")
#define DRIFT_HELP "||sum over t of (applied - true)|| / ||sum over t of true||"
#define TEST_LOSS_HELP "mean loss over the test set, nats"
#define ACCURACY NUMBER("accuracy", "", "share of the test set that is right, 0..1")
#define PERPLEXITY NUMBER("perplexity", "", "exp(loss) of a language model")

static const egc_column runs_columns[] = {
    RUN_ID,
    TEXT("experiment", "name of the experiment"),
    TEXT("workload", "where gradients come from"),
    TEXT("model", "model of the workload"),
    TEXT("method", "compressor or preset"),
    TEXT("method_params", "what differs from the method's defaults, key=value;..."),
    TEXT("algorithm", "training algorithm"),
    TEXT("exchange",
         "the exchange used, \"auto\" resolved; of an algorithm with its own, its name"),
    TEXT("cluster", "topology of the cluster"),
    NUMBER("bandwidth_Bps", "B/s", "bandwidth of a host's link, each way"),
    NUMBER("latency_s", "s", "latency of the cluster; `describe CLUSTER` says what it is of"),
    NUMBER("workers", "", "workers in training"),
    NUMBER("seed", "", "seed of the run"),
    NUMBER("steps", "", "steps asked for"),
    TEXT("status", "ok, diverged, failed or timeout"),
    TEXT("error", "why the status is not ok, in one line"),
    NUMBER("params", "", "parameters of the model: n"),
    NUMBER("dense_bytes", "B", "4 n: the gradient uncompressed"),
    TRAFFIC_COLUMNS,
    NUMBER("drift", "", DRIFT_HELP ", at the end"),
    MEMORY_COLUMNS,
    NUMBER("loss", "", TEST_LOSS_HELP ", at the last evaluation"),
    ACCURACY,
    PERPLEXITY,
    TIME_COLUMNS,
    NUMBER("sim_time_s", "s", "simulated time from start to end"),
    METRIC(network_bytes, "B", "all bytes that crossed the network"),
    NUMBER("speedup", "", "step_s of the run with method \"none\" and all else equal / step_s"),
    NUMBER("sampled_workers", "",
           "workers that learnt, the others sending as they did; empty: all"),
    FILL_COLUMNS,
    CONSENSUS,
    DELAY,
    ENERGY_COLUMNS,
};

static const egc_column steps_columns[] = {
    RUN_ID,
    STEP,
    TRAFFIC_COLUMNS,
    METRIC(drift, "", DRIFT_HELP ", so far"),
    MEMORY_COLUMNS,
    METRIC(loss, "", "mean training loss of the workers' batches, nats"),
    TIME_COLUMNS,
    METRIC(network_bytes, "B", "all bytes that crossed the network in this step"),
    METRIC(nonfinite, "", "NaN and Inf in gradients, treated as nonfinite says"),
    FILL_COLUMNS,
    CONSENSUS,
    DELAY,
    ENERGY_COLUMNS,
};

static const egc_column evals_columns[] = {
    RUN_ID,
    STEP,
    NUMBER("sim_time_s", "s", "simulated time since the start"),
    NUMBER("sent_bytes_total", "B", "sent by a worker since the start, mean over workers"),
    NUMBER("loss", "", TEST_LOSS_HELP),
    ACCURACY,
    PERPLEXITY,
};

static const egc_column layers_columns[] = {
    RUN_ID,
    STEP,
    TEXT("unit", "layer or bucket that is compressed as one"),
    NUMBER("elements", "", "elements of the unit: n"),
    NUMBER("sent", "", "elements sent, mean over workers: k"),
    NUMBER("density", "", "k / n"),
    NUMBER("wire_bytes", "B", "message of the unit, mean over workers"),
    NUMBER("rel_error", "", "||x' - x|| / ||x|| of the unit"),
    NUMBER("residual_norm", "", "||v|| / ||g|| of the unit"),
    NUMBER("correction", "", "learning-rate correction c(tau) applied"),
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

const egc_column *egc_columns_find(egc_table table, const char *name)
{
    for (size_t i = 0; i < egc_columns_tables[table].n_columns; i++)
        if (strcmp(egc_columns_tables[table].columns[i].name, name) == 0)
            return &egc_columns_tables[table].columns[i];
    return NULL;
}

double egc_columns_value(const egc_column *column, const egc_step_metrics *metrics)
{
    double value;
    memcpy(&value, (const char *)metrics + column->offset, sizeof value);
    return value;
}
