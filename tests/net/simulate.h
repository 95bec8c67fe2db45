/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulated runs for tests, each in a child process of its own, since a process can make one
 * world only. The child reports through memory it shares with the test. */
#ifndef EGC_TESTS_NET_SIMULATE_H
#define EGC_TESTS_NET_SIMULATE_H

#include "base/error.h"
#include "exchange/tuning.h"
#include "net/world/world.h"

typedef struct worker {
    egc_world *world;
    egc_transport *transport; /* on channel 0 */
    int rank;
    const void *arg; /* of the trial */
} worker;

/* What every worker runs, inside the child. */
typedef egc_status (*worker_main)(worker *self, egc_error *err);

typedef struct net_trial {
    egc_world_config config; /* cluster NULL: a star */
    const void *params;      /* of the cluster; NULL: network, and of a star hosts */
    egc_cluster_common network;
    int hosts;
    worker_main main;
    const void *arg;
} net_trial;

typedef struct outcome {
    egc_status status;
    egc_error err;
    double sim_time_s;
    double network_bytes;
} outcome;

/* A trial of `workers` on a star of as many hosts, CM02, no limits. */
net_trial trial_of(int workers, double bandwidth_Bps, double latency_s, worker_main main,
                   const void *arg);

/* Runs it. A child that dies gives EGC_ERROR_IO and says how. */
outcome simulate(const net_trial *trial);

/* Zeroed memory that children write and the test reads. Never freed. */
void *shared_memory(size_t bytes);

/* The parameters of a star; what `trial` says of network and hosts. Borrowed until the next
 * call. */
const void *star_params(const egc_cluster_type **type, const net_trial *trial, egc_error *err);

#endif
