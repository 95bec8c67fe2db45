/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the points of an experiment, each in a forked child, and publishes their rows. A child that
 * crashes, is aborted by SimGrid or exceeds its time limit becomes a row with status "failed" or
 * "timeout", without effect on other points. */
#ifndef EGC_EXPERIMENT_RUN_RUNNER_H
#define EGC_EXPERIMENT_RUN_RUNNER_H

#include "experiment/results/csv.h"
#include "experiment/results/manifest.h"
#include "experiment/spec/experiment.h"

/* The work of a child: egc_train_run, or a substitute in tests. */
typedef egc_status (*egc_point_main)(const egc_train_config *config, const egc_train_sink *sink,
                                     egc_train_summary *out, egc_error *err);

typedef struct egc_runner_progress {
    size_t done; /* points with a row, including those of an earlier run */
    size_t total;
    size_t failed;    /* points done whose status is failed or timeout */
    double elapsed_s; /* on the host */
    double eta_s;     /* seconds until the last point ends; NAN before the first has ended */
} egc_runner_progress;

typedef struct egc_runner_options {
    const char *dir;
    size_t jobs;        /* children at a time, at least 1 */
    bool resume;        /* continue in a folder that holds results */
    bool share;         /* train once for points with the same training key: point_queue.h */
    size_t shard_index; /* 1..shard_count: the one of every shard_count points to run */
    size_t shard_count; /* 0 or 1: run all points */
    egc_timeline_limits timeline;
    double point_limit_s; /* a child that takes longer on the host is killed; 0: no limit */
    egc_point_main point_main;
    const egc_provenance *provenance;
    void (*progress)(void *arg,
                     const egc_runner_progress *progress); /* may be NULL; once a second */
    void *progress_arg;
} egc_runner_options;

typedef struct egc_runner_report {
    size_t done;
    size_t failed;
    size_t reused; /* points done that an earlier run finished */
    int signal;    /* SIGINT, SIGTERM or SIGHUP that interrupted the run, or 0. The folder is valid
                      and can be resumed */
} egc_runner_report;

/* Runs the points and publishes their rows in options->dir. EGC_OK also if points failed or a
 * signal interrupted the run: see *out. UNSUPPORTED when the folder holds results and resume is not
 * set, another run writes there, or measured times would be mixed; RANGE, IO, FORMAT, MEMORY. */
egc_status egc_runner_run(const egc_experiment *experiment, const egc_runner_options *options,
                          egc_runner_report *out, egc_error *err) EGC_MUST_CHECK;

/* The rows of one point. run has the one row that runs.csv would have, with an empty speedup; steps
 * has a row for each step, none if the child died. egc_column.text tells texts from numbers; the
 * columns of axes, after those of egc_columns_tables[EGC_TABLE_RUNS], are texts. */
typedef struct egc_runner_result {
    egc_csv_table run;
    egc_csv_table steps;
} egc_runner_result;

/* Runs one point in a child and reads its rows into *out, to be freed by egc_runner_result_fini;
 * writes no results folder. A failed point is EGC_OK with status "failed" in its row. A signal
 * (Ctrl-C) kills the child and is then raised in the caller. IO, MEMORY; SIMULATION after a signal
 * that the caller handles. */
egc_status egc_runner_simulate(const egc_experiment *experiment, const egc_point *point,
                               egc_point_main point_main, egc_runner_result *out,
                               egc_error *err) EGC_MUST_CHECK;

/* Accepts a zeroed result. */
void egc_runner_result_fini(egc_runner_result *result);

#endif
