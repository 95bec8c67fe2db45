/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The energy that a cluster consumes.
 *
 * A host draws idle_power of its device plus a part of (busy_power - idle_power) in proportion to
 * its busy cores (SimGrid's host_energy plugin), and nothing while it is down. Each way of a link
 * draws link_idle_power all the time, and link_busy_power while it carries a message at the
 * bandwidth it began with: a message that has arrived has cost (busy - idle) / bandwidth for each
 * byte and link on its route. SimGrid's link_energy plugin is not used: it sees only links that are
 * written out, and counts a message as sent while it waits out its latency. */
#ifndef EGC_NET_WORLD_ENERGY_H
#define EGC_NET_WORLD_ENERGY_H

#include "net/world/world_config.h"

typedef struct egc_energy {
    double host_J, link_J;
} egc_energy;

/* Joules consumed since the start by the workers' hosts and by all links of a world whose
 * configuration asks for energy. Called by an actor. */
egc_energy egc_energy_used(const egc_world *world);

/* ---- private to sim/net --------------------------------------------------------------------- */

/* Starts accounting, if the configuration asks for it. The platform must be loaded and the workers
 * seated. RANGE when device or links have no powers; MEMORY. */
egc_status egc_energy_start(egc_world *world, egc_error *err) EGC_MUST_CHECK;

#endif
