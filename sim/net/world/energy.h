/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the cluster consumes. Private to sim/net.
 *
 * A host draws idle_power of its device, and up to busy_power in proportion to the cores that
 * work (SimGrid's host_energy plugin); nothing when it is down. Each way of a link draws
 * link_idle_power all the time, and link_busy_power while it carries a message at the bandwidth it
 * began with: a message costs (busy - idle) / bandwidth for each byte and link on its way, whoever
 * sent it, once it has arrived. SimGrid's link_energy is not used: it can see links that are
 * written out only, and takes a message that waits out its latency for one that is sent. */
#ifndef EGC_NET_WORLD_ENERGY_H
#define EGC_NET_WORLD_ENERGY_H

#include "net/world/world_core.h"

/* Whether what a platform file says that a host draws is what the plugin reads, which aborts on the
 * rest: FORMAT. */
egc_status egc_host_power_check(sg_host_t host, egc_error *err) EGC_MUST_CHECK;

/* When the platform is loaded and workers are seated. RANGE when power is not known. */
egc_status egc_energy_start(egc_world *world, egc_error *err) EGC_MUST_CHECK;

/* Joules that a byte costs the links on its way; 0 without energy. Called in a run. */
double egc_energy_per_byte(const egc_world *world, sg_host_t from, sg_host_t to);

#endif
