/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting SimGrid: its configuration and its platform. Private to sim/net. */
#ifndef EGC_NET_WORLD_LOADER_H
#define EGC_NET_WORLD_LOADER_H

#include "net/world/world.h"

/* Starts SimGrid with the network model and the context factory that config asks for, and loads
 * the cluster's platform, hosts computing at speed_flops. IO, MEMORY, and what the cluster
 * refuses. Everything is checked before SimGrid sees it, since SimGrid aborts. */
egc_status egc_loader_load(const egc_world_config *config, double speed_flops,
                           egc_error *err) EGC_MUST_CHECK;

/* Loads a platform into SimGrid, which must have been started. */
egc_status egc_platform_file_load(const egc_buf *xml, egc_error *err) EGC_MUST_CHECK;

#endif
