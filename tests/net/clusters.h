/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clusters by name and settings, for tests. */
#ifndef EGC_TESTS_NET_CLUSTERS_H
#define EGC_TESTS_NET_CLUSTERS_H

#include "net/topology/graph.h"
#include "simulate.h"

typedef struct test_cluster {
    const egc_cluster_type *type;
    void *params;
    size_t hosts;
    egc_arena arena;
} test_cluster;

/* settings: "levels=2 children=4,4 bandwidth=1e9". A number list is a list. Fails like
 * egc_prepare_cluster; the test fails when a name or a single value is not valid. */
egc_status make_cluster(const char *name, const char *settings, test_cluster *out, egc_error *err);

void free_cluster(test_cluster *cluster);

/* A message from one rank to another. */
typedef struct message {
    int from, to;
} message;

/* Seconds from when all messages of `bytes` start until the last one ends. */
double time_of_messages(const test_cluster *cluster, const message *messages, size_t n,
                        size_t bytes);

/* The latency from every host to every other, by from * hosts + to: of empty messages. The caller
 * frees it with egc_free. */
double *measure_latencies(const test_cluster *cluster);

#endif
