/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Background traffic of a cluster: each host sends to one other, in bursts. Private to sim/net.
 *
 * Senders and receivers form a random cycle through all hosts, so that each link of a host carries
 * one such flow each way. The sizes of bursts and the pauses between them are exponentially
 * distributed; the mean pause is such that bursts take the share `background` of the time. The
 * flows share links with the workers' messages and are not counted in network_bytes. All draws come
 * from the run's seed.
 *
 * The senders end when the workers have ended, or when all workers wait for each other: SimGrid
 * reports a deadlock only when nothing else happens. */
#ifndef EGC_NET_WORLD_BACKGROUND_H
#define EGC_NET_WORLD_BACKGROUND_H

#include "net/world/world_config.h"

/* Starts the flows of a world that is about to run. MEMORY. */
egc_status egc_background_start(egc_world *world, egc_error *err) EGC_MUST_CHECK;

/* Frees the flows of a world that has run. */
void egc_background_free(egc_world *world);

#endif
