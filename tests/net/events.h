/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens to a cluster's links and hosts, and a message that it happens to. */
#ifndef EGC_TESTS_NET_EVENTS_H
#define EGC_TESTS_NET_EVENTS_H

#include "simulate.h"

/* Rank 0 computes `before`, then sends `bytes` to rank 1. */
typedef struct send_after {
    double before_s;
    size_t bytes;
} send_after;
egc_status send_later(worker *self, egc_error *err); /* arg: a send_after */

/* At a time, to the links or hosts of a name or pattern; what it is, the caller fills in. */
egc_event link_event(double at_s, const char *link);
egc_event host_event(double at_s, const char *host);

#endif
