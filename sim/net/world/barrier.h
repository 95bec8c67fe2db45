/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A barrier for a fixed number of actors. Passing it takes no simulated time of its own. */
#ifndef EGC_NET_WORLD_BARRIER_H
#define EGC_NET_WORLD_BARRIER_H

typedef struct egc_barrier egc_barrier;

/* NULL when out of memory. */
egc_barrier *egc_barrier_new(int parties);
void egc_barrier_free(egc_barrier *barrier); /* accepts NULL */
void egc_barrier_wait(egc_barrier *barrier);

#endif
