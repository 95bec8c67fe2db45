/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traffic of others in the cluster: each host sends to one other, in bursts. Private to sim/net.
 *
 * Who sends to whom is a random cycle through all hosts, so that each link of a host carries one
 * such flow each way. A burst's size and the pause after it are exponentially distributed; the
 * pause is on average so long that bursts take `background` of the time. The flows share links with
 * the workers' messages as all flows do, and are not counted in network_bytes. All is drawn from
 * the run's seed.
 *
 * The senders end when the workers have ended, or when all workers wait for each other: a deadlock
 * would not be found while something still happens. */
#ifndef EGC_NET_WORLD_BACKGROUND_H
#define EGC_NET_WORLD_BACKGROUND_H

#include "net/world/world_core.h"

/* Starts the flows, in a world that is about to run. MEMORY. */
egc_status egc_background_start(egc_world *world, egc_error *err) EGC_MUST_CHECK;

void egc_background_free(egc_world *world);

#endif
