/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a cluster is: hosts, links, and the SimGrid platform that models them.
 *
 * A cluster is one const descriptor in one file of clusters/, named by one line of its list.def.
 * Its params struct begins with egc_cluster_common, so that code which needs only a bandwidth or a
 * device need not know the topology. */
#ifndef EGC_NET_CLUSTER_H
#define EGC_NET_CLUSTER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/param.h"
#include "net/device.h"

/* Stacks and page maps of more actors than this exceed what Linux gives a process by default. */
#define EGC_CLUSTER_HOSTS_MAX 16384

typedef struct egc_cluster_common {
    double bandwidth_Bps; /* of one host's link, each way; NAN: a file says it */
    double latency_s;     /* one way; between what, each cluster says */
    double efficiency;    /* share of the nominal bandwidth that applications get */
    int64_t cores;        /* streams of a device that run at full speed side by side */
    double speed_flops;   /* overrides the device's flops * efficiency; NAN: the device decides */
    char device[EGC_TEXT_LENGTH]; /* name of a profile in scripts/devices.lua */
} egc_cluster_common;

/* The rows of the common part; every cluster's table starts with them. What the bandwidth and the
 * latency are of differs. */
#define EGC_CLUSTER_COMMON_PARAMS(type, bandwidth_help, latency_help)                              \
    EGC_CLUSTER_NETWORK_PARAMS(type, 1.25e8, bandwidth_help, 50e-6, latency_help),                 \
        EGC_CLUSTER_DEVICE_PARAMS(type)

#define EGC_CLUSTER_NETWORK_PARAMS(type, def_Bps, bandwidth_help, def_s, latency_help)             \
    {"bandwidth",                                                                                  \
     bandwidth_help,                                                                               \
     EGC_PARAM_REAL,                                                                               \
     EGC_QUANTITY_BANDWIDTH,                                                                       \
     offsetof(type, common.bandwidth_Bps),                                                         \
     def_Bps,                                                                                      \
     0,                                                                                            \
     INFINITY,                                                                                     \
     EGC_PARAM_OPEN_MIN,                                                                           \
     NULL,                                                                                         \
     NULL},                                                                                        \
        {"latency",                                                                                \
         latency_help,                                                                             \
         EGC_PARAM_REAL,                                                                           \
         EGC_QUANTITY_TIME,                                                                        \
         offsetof(type, common.latency_s),                                                         \
         def_s,                                                                                    \
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
    {                                                                                              \
        "cores", "streams of a device that run at full speed side by side", EGC_PARAM_INT,         \
            EGC_QUANTITY_NONE, offsetof(type, common.cores), 1, 1, 1024, 0, NULL, NULL             \
    }

/* Who computes: the rows that a platform file's cluster has too. */
#define EGC_CLUSTER_DEVICE_PARAMS(type)                                                            \
    {"speed",                                                                                      \
     "sustained speed of a host; overrides the device's",                                          \
     EGC_PARAM_REAL,                                                                               \
     EGC_QUANTITY_FLOPS,                                                                           \
     offsetof(type, common.speed_flops),                                                           \
     NAN,                                                                                          \
     0,                                                                                            \
     INFINITY,                                                                                     \
     EGC_PARAM_OPEN_MIN,                                                                           \
     NULL,                                                                                         \
     NULL},                                                                                        \
    {                                                                                              \
        "device", "device profile of every host", EGC_PARAM_TEXT, EGC_QUANTITY_NONE,               \
            offsetof(type, common.device), 0, 0, 0, 0, NULL, "v100"                                \
    }

/* What messages can expect of a cluster while it is idle, in rough figures: for choosing among
 * exchanges, and as bounds. */
typedef struct egc_cluster_paths {
    double latency_s;     /* between hosts that are not near, about the mean */
    double bandwidth_Bps; /* of a message that is alone */
    double crowd_Bps;     /* of each host's when all send to hosts far away; at most that alone */
    size_t near;          /* so many hosts that follow each other are near; 1: none are */
    double near_latency_s, near_bandwidth_Bps; /* between these */
    double host_Bps; /* what no host can send, or receive, more of, over all its links; INFINITY:
                        not known */
} egc_cluster_paths;

typedef struct egc_cluster_type {
    const char *name;
    const char *summary;
    const char *reference;

    const egc_param *params;
    size_t params_size;

    /* How many hosts there are: workers are seated on hosts 0, 1, ... in this order. Asked before
     * `check`, so it must not overflow. */
    size_t (*hosts)(const void *params);

    /* Appends a SimGrid platform (DTD 4.1) whose hosts are named host-0, host-1, ... and compute
     * at `speed_flops`; net/writer.h has the pieces. Called when `check` found nothing. */
    egc_status (*write_platform)(const void *params, double speed_flops, egc_buf *xml,
                                 egc_error *err);

    /* What the table cannot say: whether the parameters make a cluster together. NULL: always. */
    egc_status (*check)(const void *params, egc_error *err);

    /* Changes what is not as between hosts on one switch: see egc_cluster_paths_of. NULL: nothing.
     */
    void (*paths)(const void *params, egc_cluster_paths *paths);

    /* True for the hosts on the far side of the cut whose bandwidth is the bisection bandwidth.
     * NULL: the second half of them by number. */
    bool (*far_half)(const void *params, size_t host);

    /* How graphviz lays it out best; NULL is "neato". */
    const char *layout;

    /* ---- a cluster that a file describes has these and no write_platform */

    /* Reads what the parameters refer to, into memory of arena, before all else is called. */
    egc_status (*prepare)(void *params, egc_arena *arena, egc_error *err);
    const char *(*file)(const void *params);                   /* what SimGrid loads */
    const char *(*host_name)(const void *params, size_t host); /* what a host is called there */
    bool (*own_speeds)(const void *params); /* hosts keep their speeds, relative to host 0 */
} egc_cluster_type;

/* Every registered type, NULL-terminated, in the order of clusters/list.def. */
const egc_cluster_type *const *egc_cluster_types(void);

/* The type called name. NAME, listing the valid ones. */
egc_status egc_cluster_find(const char *name, const egc_cluster_type **out,
                            egc_error *err) EGC_MUST_CHECK;

/* Makes parameters that were just set ready for all else. What it needs lives in arena. IO, FORMAT,
 * and what egc_cluster_check finds. */
egc_status egc_cluster_prepare(const egc_cluster_type *type, void *params, egc_arena *arena,
                               egc_error *err) EGC_MUST_CHECK;

/* Finds whatever SimGrid would get wrong or abort on. RANGE. */
egc_status egc_cluster_check(const egc_cluster_type *type, const void *params,
                             egc_error *err) EGC_MUST_CHECK;

/* Its paths. A type starts from those of a star with the common bandwidth and latency. */
egc_cluster_paths egc_cluster_paths_of(const egc_cluster_type *type, const void *params);

/* What SimGrid calls a host. Writes to out only when it must. */
#define EGC_HOST_NAME 32
const char *egc_cluster_host_name(const egc_cluster_type *type, const void *params, size_t host,
                                  char out[EGC_HOST_NAME]);

#endif
