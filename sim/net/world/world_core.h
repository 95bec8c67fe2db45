/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a world, shared by the units of this folder. Private to sim/net. */
#ifndef EGC_NET_WORLD_WORLD_CORE_H
#define EGC_NET_WORLD_WORLD_CORE_H

#include <simgrid/host.h>

#include "net/transport/transport.h"
#include "net/world/speed.h"
#include "net/world/world_config.h"

struct egc_world {
    egc_world_config config;
    double speed_flops; /* work of one second on host 0 */
    sg_host_t *hosts;   /* by rank, as the next two */
    egc_speed *speeds;
    bool *failed;                             /* its host failed while an actor of the rank ran */
    struct egc_mailbox_transport *transports; /* by rank * channels + channel */
    struct egc_actor *first_actor, **next_actor;
    size_t n_actors;
    egc_request *requests; /* every request ever made */
    egc_request *idle_requests;
    uint64_t progress; /* number of times that an actor continued after waiting */
    struct egc_background_flow *flows;
    sg_host_t *powered; /* with energy: the hosts on which ranks sit */
    size_t n_powered;
    size_t n_links;   /* with energy: the links between hosts */
    double carried_J; /* energy of all bytes that have arrived, over their links */
    int epoch;        /* number of times that messages were forgotten; in the mailboxes' names */
    struct egc_failure_watching *watches;
    egc_error failure; /* the first one; it ends the run */
    bool ran;
};

/* The host with this index in the cluster; NULL when the platform has none. */
sg_host_t egc_world_core_host(const egc_world_config *config, size_t index);

/* Joules for each byte on the links from one host to another; 0 without energy. Called in a run. */
double egc_world_core_joules_per_byte(const egc_world *world, sg_host_t from, sg_host_t to);

/* Must follow every call in which simulated time passes: TIMEOUT past the limit of the
 * configuration, or the failure that is ending the run. */
egc_status egc_world_core_check(const egc_world *world, egc_error *err) EGC_MUST_CHECK;

#endif
