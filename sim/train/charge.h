/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device time that a run's messages stand for: the cost model of cost.h asked about what was
 * learnt. Nothing where the cost option says none. */
#ifndef EGC_TRAIN_CHARGE_H
#define EGC_TRAIN_CHARGE_H

#include "train/learning.h"

/* Seconds to make a worker's message of a round, which is made already. */
double egc_charge_message(egc_learning *learning, uint64_t step, size_t round, size_t worker,
                          size_t bucket);

/* Seconds to take in what a round delivered. */
double egc_charge_delivery(const egc_learning *learning, size_t round, size_t bucket,
                           const egc_received *received);

#endif
