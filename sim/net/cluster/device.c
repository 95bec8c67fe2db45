/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of a device's parameters. */
#include "net/cluster/device.h"

#include <math.h>

/* flops and memory have no default, because no value suits all devices: a world that needs them
 * refuses to run without. */
const egc_param egc_device_params[] = {
    EGC_PARAM(egc_device, flops, REAL, "flops", "peak speed", .quantity = EGC_QUANTITY_FLOPS,
              .def = NAN, .max = INFINITY, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_device, efficiency, REAL, "efficiency", "share of the peak that training reaches",
              .def = 1, .max = 1, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_device, memory_Bps, REAL, "memory", "bandwidth of the device's memory",
              .quantity = EGC_QUANTITY_BANDWIDTH, .def = NAN, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_device, launch_s, REAL, "launch", "time to launch one kernel",
              .quantity = EGC_QUANTITY_TIME, .max = INFINITY),
    EGC_PARAM(egc_device, idle_W, REAL, "idle_power", "power drawn when idle",
              .quantity = EGC_QUANTITY_POWER, .max = INFINITY, .flags = EGC_PARAM_OPEN_MAX),
    EGC_PARAM(egc_device, busy_W, REAL, "busy_power", "power drawn when busy",
              .quantity = EGC_QUANTITY_POWER, .max = INFINITY, .flags = EGC_PARAM_OPEN_MAX),
    EGC_PARAM_END,
};
