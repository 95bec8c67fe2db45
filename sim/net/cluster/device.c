/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/cluster/device.h"

#include <math.h>

/* flops and memory have no default: they are what makes one device differ from another, and a
 * world refuses to run without those it needs. */
const egc_param egc_device_params[] = {
    {"flops", "peak speed", EGC_PARAM_REAL, EGC_QUANTITY_FLOPS, offsetof(egc_device, flops), NAN, 0,
     INFINITY, EGC_PARAM_OPEN_MIN, NULL, NULL},
    {"efficiency", "share of the peak that training reaches", EGC_PARAM_REAL, EGC_QUANTITY_NONE,
     offsetof(egc_device, efficiency), 1, 0, 1, EGC_PARAM_OPEN_MIN, NULL, NULL},
    {"memory", "bandwidth of the device's memory", EGC_PARAM_REAL, EGC_QUANTITY_BANDWIDTH,
     offsetof(egc_device, memory_Bps), NAN, 0, INFINITY, EGC_PARAM_OPEN_MIN, NULL, NULL},
    {"launch", "time to launch one kernel", EGC_PARAM_REAL, EGC_QUANTITY_TIME,
     offsetof(egc_device, launch_s), 0, 0, INFINITY, 0, NULL, NULL},
    {"idle_power", "power drawn when idle", EGC_PARAM_REAL, EGC_QUANTITY_POWER,
     offsetof(egc_device, idle_W), 0, 0, INFINITY, EGC_PARAM_OPEN_MAX, NULL, NULL},
    {"busy_power", "power drawn when busy", EGC_PARAM_REAL, EGC_QUANTITY_POWER,
     offsetof(egc_device, busy_W), 0, 0, INFINITY, EGC_PARAM_OPEN_MAX, NULL, NULL},
    EGC_PARAM_END,
};
