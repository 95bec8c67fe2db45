/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranges of numbers that SimGrid simulates correctly. Outside of them it aborts, rounds a value
 * to 0, or reaches dates so late that a step of its clock is smaller than their last digit. */
#ifndef EGC_NET_CLUSTER_LIMITS_H
#define EGC_NET_CLUSTER_LIMITS_H

/* Each host has several actors; Linux's default limits on memory maps allow no more hosts. */
#define EGC_CLUSTER_HOSTS_MAX 16384

#define EGC_LINK_BPS_MIN 1.0
#define EGC_LINK_BPS_MAX 1e18
#define EGC_TIME_S_MAX 1e9 /* largest latency, and end of the clock */
#define EGC_HOST_FLOPS_MIN 1.0
#define EGC_HOST_FLOPS_MAX 1e24
#define EGC_SLOWDOWN_MAX 1e6 /* largest factor by which a host may be slowed down or sped up */

#endif
