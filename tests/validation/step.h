/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One synchronous step, without gradients: when buckets are ready, and their exchanges
 * one after the other. What the trainer's step comes to when nothing but backward passes and
 * exchanges takes time; trainer.c holds it to that. For models too large to train here. */
#ifndef EGC_VALIDATION_STEP_H
#define EGC_VALIDATION_STEP_H

#include "exchange/exchange.h"
#include "net/clusters.h"
#include "train/core/partition.h"

enum { STEP_BUCKETS = 512 };

typedef struct step {
    egc_partition plan;
    bool overlap;
    const egc_exchange_type *exchange[STEP_BUCKETS]; /* of each bucket */
} step;

/* ResNet-50 with the FLOPs of a batch; nothing but its layers. */
void step_open_model(egc_workload *model, int64_t batch);
void step_close_model(egc_workload *model);

/* Of a device that takes so long for a forward and a backward pass. */
double step_speed_flops(const egc_workload *model, double compute_s);

/* Seconds. cluster NULL: a star. */
double step_time(const step *s, int workers, double bandwidth_Bps, double latency_s,
                 const test_cluster *cluster);

#endif
