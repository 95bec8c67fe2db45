/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One simulated cluster, run once: hosts, actors on them, and the network between them. This header
 * includes the whole interface of the folder.
 *
 * SimGrid holds global state, so a process can make one world only: a sweep forks a child for each
 * point. Code outside sim/net does not call SimGrid. */
#ifndef EGC_NET_WORLD_WORLD_H
#define EGC_NET_WORLD_WORLD_H

#include "net/transport/transport.h"
#include "net/world/actor.h"
#include "net/world/barrier.h"
#include "net/world/energy.h"
#include "net/world/failure.h"
#include "net/world/mailbox.h"
#include "net/world/semaphore.h"
#include "net/world/world_config.h"

/* Makes the world of a configuration, which is copied. RANGE for an invalid number, such as more
 * workers than hosts; UNSUPPORTED in a process that has made a world before; FORMAT when the
 * platform lacks a host; errors of the cluster's checks; IO; MEMORY. */
egc_status egc_world_new(const egc_world_config *config, egc_world **out,
                         egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_world_free(egc_world *world);

/* Runs all actors to their end. The error of the first actor that failed; SIMULATION, naming actors
 * whose host failed and actors that still wait, for a deadlock; TIMEOUT past max_sim_time_s;
 * UNSUPPORTED for a second run. */
egc_status egc_world_run(egc_world *world, egc_error *err) EGC_MUST_CHECK;

/* Simulated seconds since the start. */
double egc_world_now(const egc_world *world);

/* Bytes sent between different hosts so far, of all ranks on all channels. */
double egc_world_network_bytes(const egc_world *world);

/* The transport of `rank` on `channel`. Borrowed from the world. */
egc_transport *egc_world_transport(egc_world *world, int rank, int channel);

#endif
