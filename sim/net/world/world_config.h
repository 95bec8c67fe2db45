/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration of a simulated cluster. */
#ifndef EGC_NET_WORLD_WORLD_CONFIG_H
#define EGC_NET_WORLD_WORLD_CONFIG_H

#include <stdbool.h>

#include "net/cluster/cluster.h"

typedef struct egc_world egc_world; /* net/world/world.h */

typedef enum egc_network_model {
    EGC_NETWORK_CM02, /* latency + bytes / bandwidth, max-min sharing: the default */
    EGC_NETWORK_LV08, /* SimGrid's own default: latency x 13, bandwidth x 0.97 */
    EGC_NETWORK_SMPI, /* piecewise factors fitted to a 1 GbE cluster */
} egc_network_model;

typedef struct egc_world_config {
    const egc_cluster_type *cluster;
    const void *cluster_params; /* accepted by egc_prepare_cluster; borrowed by the world */
    egc_device device;
    egc_network_model network_model;
    uint64_t seed;         /* seed of stragglers, jitter and background traffic */
    int workers;           /* number of ranks, servers included */
    int servers;           /* the last ranks: they neither straggle nor jitter */
    const int *seats;      /* host of each rank, read by egc_world_new; NULL: rank r on host r */
    bool size_only;        /* see egc_transport */
    bool one_message_each; /* no rank ever has two messages under way: simulated faster */
    int channels;          /* independent transports between the same ranks, >= 1 */
    double max_sim_time_s; /* INFINITY: only EGC_TIME_S_MAX limits the run */
    bool charge_reduction; /* egc_transport_reduce takes simulated time */
    bool energy;           /* account for energy */
    bool thread_contexts;  /* run actors as threads: slow, for sanitizers */
} egc_world_config;

/* Checks the numbers. RANGE, naming the one that is invalid. */
egc_status egc_world_config_check(const egc_world_config *config, egc_error *err) EGC_MUST_CHECK;

/* Index of the host on which a rank sits. Valid while `seats` is. */
size_t egc_world_config_seat(const egc_world_config *config, int rank);

#endif
