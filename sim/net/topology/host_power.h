/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The power of a host, as SimGrid's host_energy plugin reads it from the host's properties. Private
 * to sim/net. */
#ifndef EGC_NET_TOPOLOGY_HOST_POWER_H
#define EGC_NET_TOPOLOGY_HOST_POWER_H

#include <simgrid/host.h>

#include "base/error.h"

/* "IDLE:EPSILON:ALLCORES" in watts for each of a host's speeds, with commas between; and watts. */
#define EGC_HOST_POWER "wattage_per_state"
#define EGC_HOST_POWER_OFF "wattage_off"

/* Checks both properties of a host, where set: the plugin aborts on values it cannot read. FORMAT,
 * naming the host. */
egc_status egc_host_power_check(sg_host_t host, egc_error *err) EGC_MUST_CHECK;

#endif
