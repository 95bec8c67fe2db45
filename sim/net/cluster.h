/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a cluster is: hosts, links, and the SimGrid platform that models them.
 *
 * A cluster is one const descriptor in one file, named by one line of clusters.def. Its params
 * struct begins with egc_cluster_common, so that code which needs only a bandwidth or a device
 * need not know the topology. */
#ifndef EGC_NET_CLUSTER_H
#define EGC_NET_CLUSTER_H

#include "base/buf.h"
#include "base/error.h"
#include "base/param.h"
#include "net/device.h"

typedef struct egc_cluster_common {
    double bandwidth_Bps; /* of one host's link, each way */
    double latency_s;     /* one way, from host to host */
    double efficiency;    /* share of the nominal bandwidth that applications get */
    int64_t cores;        /* streams of a device that run at full speed side by side */
    double speed_flops;   /* overrides the device's flops * efficiency; NAN: the device decides */
    char device[EGC_TEXT_LENGTH]; /* name of a profile in scripts/devices.lua */
} egc_cluster_common;

/* The rows of the common part; every cluster's table starts with them. */
#define EGC_CLUSTER_COMMON_PARAMS(type)                                                            \
    {"bandwidth",                                                                                  \
     "bandwidth of a host's link, each way",                                                       \
     EGC_PARAM_REAL,                                                                               \
     EGC_QUANTITY_BANDWIDTH,                                                                       \
     offsetof(type, common.bandwidth_Bps),                                                         \
     1.25e8,                                                                                       \
     0,                                                                                            \
     INFINITY,                                                                                     \
     EGC_PARAM_OPEN_MIN,                                                                           \
     NULL,                                                                                         \
     NULL},                                                                                        \
        {"latency",                                                                                \
         "latency from host to host, one way",                                                     \
         EGC_PARAM_REAL,                                                                           \
         EGC_QUANTITY_TIME,                                                                        \
         offsetof(type, common.latency_s),                                                         \
         50e-6,                                                                                    \
         0,                                                                                        \
         INFINITY,                                                                                 \
         0,                                                                                        \
         NULL,                                                                                     \
         NULL},                                                                                    \
        {"efficiency",                                                                             \
         "share of the nominal bandwidth that applications get",                                   \
         EGC_PARAM_REAL,                                                                           \
         EGC_QUANTITY_NONE,                                                                        \
         offsetof(type, common.efficiency),                                                        \
         1,                                                                                        \
         0,                                                                                        \
         1,                                                                                        \
         EGC_PARAM_OPEN_MIN,                                                                       \
         NULL,                                                                                     \
         NULL},                                                                                    \
        {"cores",                                                                                  \
         "streams of a device that run at full speed side by side",                                \
         EGC_PARAM_INT,                                                                            \
         EGC_QUANTITY_NONE,                                                                        \
         offsetof(type, common.cores),                                                             \
         1,                                                                                        \
         1,                                                                                        \
         1024,                                                                                     \
         0,                                                                                        \
         NULL,                                                                                     \
         NULL},                                                                                    \
        {"speed",                                                                                  \
         "sustained speed of a host; overrides the device's",                                      \
         EGC_PARAM_REAL,                                                                           \
         EGC_QUANTITY_FLOPS,                                                                       \
         offsetof(type, common.speed_flops),                                                       \
         NAN,                                                                                      \
         0,                                                                                        \
         INFINITY,                                                                                 \
         EGC_PARAM_OPEN_MIN,                                                                       \
         NULL,                                                                                     \
         NULL},                                                                                    \
    {                                                                                              \
        "device", "device profile of every host", EGC_PARAM_TEXT, EGC_QUANTITY_NONE,               \
            offsetof(type, common.device), 0, 0, 0, 0, NULL, "v100"                                \
    }

typedef struct egc_cluster_type {
    const char *name;
    const char *summary;
    const char *reference;

    const egc_param *params;
    size_t params_size;

    /* How many hosts there are: workers are seated on hosts 0, 1, ... in this order. */
    size_t (*hosts)(const void *params);

    /* Appends a SimGrid platform (DTD 4.1) whose hosts are named host-0, host-1, ... and compute
     * at `speed_flops`. Refuses with RANGE or UNSUPPORTED whatever SimGrid would abort on. */
    egc_status (*write_platform)(const void *params, double speed_flops, egc_buf *xml,
                                 egc_error *err);
} egc_cluster_type;

/* Every registered type, NULL-terminated, in the order of clusters.def. */
const egc_cluster_type *const *egc_cluster_types(void);

/* The type called name. NAME, listing the valid ones. */
egc_status egc_cluster_find(const char *name, const egc_cluster_type **out,
                            egc_error *err) EGC_MUST_CHECK;

#endif
