/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trainer itself, with all that workers send each other, on a star: how long a step takes. */
#ifndef EGC_VALIDATION_RUN_H
#define EGC_VALIDATION_RUN_H

#include "net/clusters.h"
#include "train/config.h"

typedef struct run {
    test_cluster star;
    egc_train_config config;
} run;

/* Nothing but the workload's passes and messages takes time. The caller still has to say what the
 * workload is, how messages are exchanged, and how many steps. */
void run_init(run *r, int workers, int hosts, double bandwidth_Bps, double latency_s);
void run_fini(run *r);

/* Seconds, the mean of all steps. In a child: a process can make one world only. */
double run_step_s(const run *r);

#endif
