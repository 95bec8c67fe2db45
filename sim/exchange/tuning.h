/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selection of exchanges by their closed forms, as tuned libraries select from tables, and bounds
 * on the bytes that an exchange must move. */
#ifndef EGC_EXCHANGE_TUNING_H
#define EGC_EXCHANGE_TUNING_H

#include "exchange/exchange.h"

/* The exchange of this kind with the shortest closed form; the first in list.def among equal ones.
 * p and n as in closed_form; for unequal messages, their mean. Exchanges of two levels use their
 * groups' figures where network->group > 1 divides p. */
const egc_exchange_type *egc_tuning_cheapest(egc_collective kind, int p, double n,
                                             const egc_exchange_network *network);

/* The closed form, in seconds, on a network without groups: alpha seconds for each message, beta
 * for each byte, gamma for each byte reduced. Exchanges of two levels form groups of
 * egc_groups_choose(p, 0). */
double egc_tuning_closed_form(const egc_exchange_type *type, int p, double n, double alpha,
                              double beta, double gamma);

/* Bytes that some rank must send or receive, by any exchange of this kind. Divided by the time, it
 * is the bus bandwidth of NCCL's tests, which cannot exceed the rate of a link. */
double egc_tuning_least_bytes(egc_collective kind, int p, double n);

#endif
