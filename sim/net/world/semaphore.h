/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A counting semaphore between actors. Waiting takes no simulated time of its own. */
#ifndef EGC_NET_WORLD_SEMAPHORE_H
#define EGC_NET_WORLD_SEMAPHORE_H

#include <stdbool.h>

typedef struct egc_semaphore egc_semaphore;

/* NULL when out of memory. */
egc_semaphore *egc_semaphore_new(int count);
void egc_semaphore_free(egc_semaphore *semaphore); /* accepts NULL */

void egc_semaphore_signal(egc_semaphore *semaphore);
void egc_semaphore_wait(egc_semaphore *semaphore);

/* Waits at most `seconds` of simulated time; INFINITY: without limit. False on timeout. */
bool egc_semaphore_wait_for(egc_semaphore *semaphore, double seconds);

#endif
