/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which exchange carries each round of a method. */
#ifndef EGC_TRAIN_ROUTE_H
#define EGC_TRAIN_ROUTE_H

#include "train/training.h"

typedef struct egc_route {
    size_t n_rounds;
    egc_round round[EGC_ROUNDS_MAX + 1];
    const egc_exchange_type *exchange[EGC_ROUNDS_MAX + 1];
} egc_route;

/* The exchange that config names carries every round it can, the usual one of its kind the others.
 * UNSUPPORTED when it can carry none, and when the method's rounds do not go with sampled_workers.
 */
egc_status egc_route_init(egc_route *route, const egc_training_config *config,
                          egc_error *err) EGC_MUST_CHECK;

/* The names of the exchanges in the order of rounds, "broadcast-tree+ring"; once when they are all
 * the same. */
void egc_route_name(const egc_route *route, char name[EGC_ROUTE_NAME]);

/* Whether an exchange of this kind can carry the round. */
bool egc_route_fits(egc_exchange_kind kind, const egc_round *round);

#endif
