/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A compute device as the cost model sees it. The profiles, each number with its source, live in
 * scripts/devices.lua. */
#ifndef EGC_NET_CLUSTER_DEVICE_H
#define EGC_NET_CLUSTER_DEVICE_H

#include "base/param.h"

typedef struct egc_device {
    double flops;          /* peak, flop/s */
    double efficiency;     /* share of the peak that training reaches */
    double memory_Bps;     /* device memory bandwidth */
    double launch_s;       /* time to launch one kernel */
    double idle_W, busy_W; /* power drawn when idle, and with all cores busy */
} egc_device;

extern const egc_param egc_device_params[];

#endif
