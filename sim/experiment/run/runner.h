/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the points of an experiment, each in a forked child, and keeps what they give. A child
 * that crashes, is aborted by SimGrid, or never ends becomes a row with status "failed" or
 * "timeout"; it takes nothing else with it. */
#ifndef EGC_EXPERIMENT_RUN_RUNNER_H
#define EGC_EXPERIMENT_RUN_RUNNER_H

#include "experiment/results/csv.h"
#include "experiment/results/manifest.h"
#include "experiment/spec/experiment.h"

/* What a child does with its point: egc_train_run, or what a test puts in its place. */
typedef egc_status (*egc_point_main)(const egc_train_config *config, const egc_train_sink *sink,
                                     egc_train_summary *out, egc_error *err);

typedef struct egc_runner_progress {
    size_t done; /* points that have a row, those of an earlier run included */
    size_t total;
    size_t failed;    /* of those done: neither ok nor diverged */
    double elapsed_s; /* on the host's clock */
    double eta_s;     /* until the last point; NAN until a point has finished here */
} egc_runner_progress;

typedef struct egc_runner_options {
    const char *dir;
    size_t jobs;        /* children at a time, at least 1 */
    bool resume;        /* go on in a folder that already holds results */
    bool share;         /* train once what points learn alike: see queue.h */
    size_t shard_index; /* 1..shard_count: of every shard_count points run this one */
    size_t shard_count; /* 0 or 1: run all */
    egc_timeline_limits timeline;
    double point_limit_s; /* a child that takes longer on the host is stopped; 0: no limit */
    egc_point_main point_main;
    const egc_provenance *provenance;
    void (*progress)(void *arg,
                     const egc_runner_progress *progress); /* may be NULL; once a second */
    void *progress_arg;
} egc_runner_options;

typedef struct egc_runner_report {
    size_t done;
    size_t failed;
    size_t reused; /* of those done: taken from an earlier run */
    int signal;    /* that interrupted the run (SIGINT, SIGTERM, SIGHUP), or 0. The folder is valid,
                      and `resume` goes on from there */
} egc_runner_report;

/* Runs what is to be run and publishes it in options->dir. EGC_OK also when points failed or a
 * signal came: the report says so. UNSUPPORTED when the folder holds results and resume is not
 * set, or another run writes there; RANGE; IO; FORMAT; MEMORY. */
egc_status egc_runner_run(const egc_experiment *experiment, const egc_runner_options *options,
                          egc_runner_report *out, egc_error *err) EGC_MUST_CHECK;

/* What one point gave. run has one row, the one runs.csv would have, but for speedup, which is
 * empty; steps has a row for each step (none when the child died). egc_column.text tells words
 * from numbers; columns of axes, after those of egc_columns_tables[EGC_TABLE_RUNS], are text. */
typedef struct egc_runner_result {
    egc_csv_table run;
    egc_csv_table steps;
} egc_runner_result;

/* Runs one point in a child and gives back what it gave; writes no results folder. A failed point
 * is EGC_OK with status "failed" in its row. A signal (Ctrl-C) stops the child and then acts on
 * the caller as if it had come after the call. IO, MEMORY. */
egc_status egc_runner_simulate(const egc_experiment *experiment, const egc_point *point,
                               egc_point_main point_main, egc_runner_result *out,
                               egc_error *err) EGC_MUST_CHECK;

/* Accepts a zeroed result. */
void egc_runner_result_fini(egc_runner_result *result);

#endif
