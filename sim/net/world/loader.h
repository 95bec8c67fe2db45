/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts SimGrid: its configuration and its platform. Private to sim/net. */
#ifndef EGC_NET_WORLD_LOADER_H
#define EGC_NET_WORLD_LOADER_H

#include "net/world/world_config.h"

/* Starts SimGrid with the network model and the context factory of config, and loads the cluster's
 * platform, hosts computing at speed_flops. SimGrid aborts on errors, so the cluster is checked
 * first: errors of egc_cluster_check and egc_event_platform_init; IO; MEMORY. */
egc_status egc_loader_load(const egc_world_config *config, double speed_flops,
                           egc_error *err) EGC_MUST_CHECK;

#endif
