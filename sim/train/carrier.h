/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What carries a worker's messages: the exchange of each round, and the buffers it needs. */
#ifndef EGC_TRAIN_CARRIER_H
#define EGC_TRAIN_CARRIER_H

#include "train/learning.h"

typedef struct egc_carrier {
    egc_transport *transport; /* borrowed */
    egc_learning *learning;   /* borrowed */
    size_t worker;
    egc_buf *gathered; /* for each rank, during an exchange */
    egc_buf broadcast;
    egc_exchange_scratch scratch;
} egc_carrier;

/* MEMORY. */
egc_status egc_carrier_init(egc_carrier *carrier, egc_learning *learning, size_t worker,
                            egc_transport *transport, egc_error *err) EGC_MUST_CHECK;

/* Zeroed is fine, too. */
void egc_carrier_fini(egc_carrier *carrier);

/* Runs the exchange of one round of a bucket, together with all other workers, and says what came
 * of it: messages that stay until the next call. Errors of the transport. */
egc_status egc_carrier_run(egc_carrier *carrier, uint64_t step, size_t round, size_t bucket,
                           egc_received *received, egc_error *err) EGC_MUST_CHECK;

#endif
