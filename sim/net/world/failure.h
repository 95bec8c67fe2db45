/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detection of failed hosts and links, for algorithms that continue without them. */
#ifndef EGC_NET_WORLD_FAILURE_H
#define EGC_NET_WORLD_FAILURE_H

#include "net/world/world_config.h"

/* True if ranks a and b can exchange messages: their hosts are up and have not failed while their
 * actors ran, and all links between them are up, both ways, by the cluster's events. */
bool egc_failure_reachable(const egc_world *world, int a, int b);

/* Called on the host of rank `from` when that of `rank` fails. */
typedef struct egc_failure_watcher {
    egc_world *world;
    int rank, from;
    void (*failed)(void *arg);
    void *arg;
} egc_failure_watcher;

/* Calls watcher->failed when the host of watcher->rank fails before the first actor of that rank
 * has ended, unless the watching host has failed too. Does nothing when that actor has ended
 * already, or when a rank would watch itself. The watcher is copied. MEMORY. */
egc_status egc_failure_watch(const egc_failure_watcher *watcher, egc_error *err) EGC_MUST_CHECK;

/* Private to sim/net. */
void egc_failure_free_all(egc_world *world);

#endif
