/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one step learnt, as far as its times and its rows need it: no gradient, no parameter. */
#ifndef EGC_TRAIN_METRICS_LEARNT_H
#define EGC_TRAIN_METRICS_LEARNT_H

#include "base/arena.h"
#include "compressors/core/method.h"
#include "workloads/workload.h"

/* Of all workers' steps. */
typedef struct egc_step_totals {
    double loss;          /* sum over workers */
    double nonfinite;     /* sum over workers */
    double message_bytes; /* all workers' messages, headers included */
    double cosine, drift;
    double union_elements;     /* that any worker sent, where they are chosen; otherwise NAN */
    double consensus;          /* see egc_step_metrics */
    egc_evaluation evaluation; /* after the step, where one was due */
} egc_step_totals;

/* What the cost model needs to know of one unit in one worker's message of one round. */
typedef struct egc_part_stats {
    uint64_t sent;       /* elements chosen */
    uint64_t wire_bytes; /* in this round and those before */
} egc_part_stats;

typedef struct egc_step_stats {
    size_t n_workers; /* whose sums these are */
    egc_step_totals totals;
    egc_encoding *units;   /* for each unit, sums over workers */
    double *correction;    /* for each unit, c(tau) applied */
    egc_part_stats *parts; /* for each round, worker and unit: see egc_engine_part */
} egc_step_stats;

/* Nothing learnt yet. The arrays live in arena. MEMORY. */
egc_status egc_step_stats_init(egc_step_stats *learnt, egc_arena *arena, size_t n_workers,
                               size_t n_units, size_t n_parts, egc_error *err) EGC_MUST_CHECK;

/* Forgets the sums. */
void egc_step_stats_clear(egc_step_stats *learnt, size_t n_units);

/* Adds one worker's encoding of one unit. */
void egc_step_stats_add(egc_step_stats *learnt, size_t unit, const egc_encoding *encoding);

#endif
