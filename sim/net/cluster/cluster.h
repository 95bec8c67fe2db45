/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cluster: hosts, links, and the SimGrid platform that models them.
 *
 * A cluster type is one const descriptor in one file of this folder, named by one line of list.def.
 * Its params struct begins with egc_cluster_common, so that code which needs only a bandwidth or a
 * device works for every topology. A cluster is ready for use after egc_prepare_cluster
 * (net/topology/prepare.h). */
#ifndef EGC_NET_CLUSTER_CLUSTER_H
#define EGC_NET_CLUSTER_CLUSTER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/param.h"
#include "net/cluster/device.h"
#include "net/cluster/events.h"
#include "net/cluster/limits.h"

typedef struct egc_cluster_common {
    double bandwidth_Bps; /* one host's link, each way; NAN: given by a platform file */
    double latency_s;     /* one way; the cluster type says between which points */
    double efficiency;    /* share of the nominal bandwidth that applications get */
    int64_t cores;        /* streams of a device that run at full speed side by side */
    double speed_flops;   /* overrides the device's flops * efficiency; NAN: the device decides */
    char device[EGC_TEXT_LENGTH]; /* name of a profile in scripts/devices.lua */
    egc_param_list events;        /* items: egc_event */
    egc_param_list host_speeds;   /* items: double; net/world/speed.h explains these four */
    double stragglers, straggler_slowdown, jitter;
    double background, background_burst_bytes; /* net/world/background.h */
    double link_idle_W, link_busy_W;           /* each way of a link: net/world/energy.h */
} egc_cluster_common;

/* The items of `host_speeds`, and of lists of whole numbers from 1 to 65536, as {4, 4}. */
extern const egc_param_item egc_cluster_speed_item, egc_cluster_size_item;

/* The rows of the common part, with which every cluster's table starts. Types differ in the links
 * that bandwidth and latency describe, and say so in the help texts. */
#define EGC_CLUSTER_COMMON_PARAMS(type, bandwidth_help, latency_help)                              \
    EGC_CLUSTER_NETWORK_PARAMS(type, 1.25e8, bandwidth_help, 50e-6, latency_help),                 \
        EGC_CLUSTER_DEVICE_PARAMS(type)

#define EGC_CLUSTER_NETWORK_PARAMS(type, def_Bps, bandwidth_help, def_s, latency_help)             \
    EGC_PARAM(type, common.bandwidth_Bps, REAL, "bandwidth", bandwidth_help,                       \
              .quantity = EGC_QUANTITY_BANDWIDTH, .def = def_Bps, .max = INFINITY,                 \
              .flags = EGC_PARAM_OPEN_MIN),                                                        \
        EGC_PARAM(type, common.latency_s, REAL, "latency", latency_help,                           \
                  .quantity = EGC_QUANTITY_TIME, .def = def_s, .max = INFINITY),                   \
        EGC_PARAM(type, common.efficiency, REAL, "efficiency",                                     \
                  "share of the nominal bandwidth that applications get", .def = 1, .max = 1,      \
                  .flags = EGC_PARAM_OPEN_MIN),                                                    \
        EGC_PARAM(type, common.cores, INT, "cores",                                                \
                  "streams of a device that run at full speed side by side", .def = 1, .min = 1,   \
                  .max = 1024),                                                                    \
        EGC_PARAM(type, common.host_speeds, LIST, "host_speeds",                                   \
                  "speeds of the hosts relative to `speed`, over and over; {}: all alike",         \
                  .choices = EGC_PARAM_ITEMS(&egc_cluster_speed_item)),                            \
        EGC_PARAM(type, common.events, LIST, "profiles",                                           \
                  "what happens to hosts and links, and when",                                     \
                  .choices = EGC_PARAM_ITEMS(&egc_events_item))

/* Device, stragglers, background traffic and power: the rows that `platform` has too. */
#define EGC_CLUSTER_DEVICE_PARAMS(type)                                                            \
    EGC_PARAM(type, common.speed_flops, REAL, "speed",                                             \
              "sustained speed of a host; overrides the device's", .quantity = EGC_QUANTITY_FLOPS, \
              .def = NAN, .max = INFINITY, .flags = EGC_PARAM_OPEN_MIN),                           \
        EGC_PARAM(type, common.device, TEXT, "device", "device profile of every host",             \
                  .def_text = "v100"),                                                             \
        EGC_PARAM(type, common.stragglers, REAL, "stragglers",                                     \
                  "share of the workers that are slow; which, the seed of the run says",           \
                  .max = 1),                                                                       \
        EGC_PARAM(type, common.straggler_slowdown, REAL, "straggler_slowdown",                     \
                  "how many times longer a straggler computes", .def = 2, .min = 1,                \
                  .max = EGC_SLOWDOWN_MAX),                                                        \
        EGC_PARAM(                                                                                 \
            type, common.jitter, REAL, "jitter",                                                   \
            "standard deviation of the time a step computes, of its mean, from worker to worker",  \
            .max = 10),                                                                            \
        EGC_PARAM(type, common.background, REAL, "background",                                     \
                  "share of the time in which each host sends to another for somebody else",       \
                  .max = 1, .flags = EGC_PARAM_OPEN_MAX),                                          \
        EGC_PARAM(type, common.background_burst_bytes, REAL, "background_burst",                   \
                  "mean size of what it sends at a time", .quantity = EGC_QUANTITY_BYTES,          \
                  .def = 0x1p20, .min = 1, .max = 0x1p50),                                         \
        EGC_PARAM(type, common.link_idle_W, REAL, "link_idle_power",                               \
                  "power that each way of a link draws idle (assumed)",                            \
                  .quantity = EGC_QUANTITY_POWER, .def = 2, .max = INFINITY,                       \
                  .flags = EGC_PARAM_OPEN_MAX),                                                    \
        EGC_PARAM(type, common.link_busy_W, REAL, "link_busy_power",                               \
                  "power that it draws when full (assumed)", .quantity = EGC_QUANTITY_POWER,       \
                  .def = 2.5, .max = INFINITY, .flags = EGC_PARAM_OPEN_MAX)

/* Rough figures of an idle cluster, with which exchanges are chosen and rates are bounded. */
typedef struct egc_cluster_paths {
    double latency_s;     /* mean latency between hosts of different groups */
    double bandwidth_Bps; /* one message alone */
    double contended_Bps; /* per host when all hosts send to other groups at once */
    size_t local_hosts;   /* hosts of a node or rack, numbered consecutively; 1: no groups */
    double local_latency_s, local_bandwidth_Bps; /* inside a group */
    double host_Bps; /* upper bound of a host's rate, each way, over all its links; INFINITY:
                        unknown */
} egc_cluster_paths;

typedef struct egc_cluster_type {
    const char *name;
    const char *summary;
    const char *reference;

    const egc_param *params;
    size_t params_size;

    /* The number of hosts; workers are seated on hosts 0, 1, ... in this order. It is called before
     * `check`, so it must not overflow. */
    size_t (*hosts)(const void *params);

    /* Appends a SimGrid platform (DTD 4.1) whose hosts are named host-0, host-1, ... and compute
     * at `speed_flops`, built from the pieces of net/cluster/writer.h. Parameters have passed
     * `check`. MEMORY. */
    egc_status (*write_platform)(const void *params, double speed_flops, egc_buf *xml,
                                 egc_error *err);

    /* Checks combinations of parameters, which the table cannot express. RANGE. NULL: nothing. */
    egc_status (*check)(const void *params, egc_error *err);

    /* Changes the figures in which the topology differs from a star, with which
     * egc_cluster_paths_of begins. NULL: none. */
    void (*paths)(const void *params, egc_cluster_paths *paths);

    /* True for a host on the far side of the cut that defines the bisection bandwidth. NULL:
     * the second half of the hosts by number. */
    bool (*far_half)(const void *params, size_t host);

    /* The layout program of graphviz for pictures. NULL: "neato". */
    const char *layout;

    /* ---- only for clusters described by a file; they have no write_platform */

    /* Reads the file and checks its text. RANGE; FORMAT; IO; MEMORY. */
    egc_status (*read)(void *params, egc_error *err);
    const char *(*file)(const void *params); /* the path that SimGrid loads */
    uint64_t (*hash_files)(
        const void *params); /* hash of its contents and those of the files it names */

    /* Selects the hosts to use from the n that the file has: fills chosen[0..n_chosen), which has
     * room for n. NAME; RANGE. */
    egc_status (*choose_hosts)(const void *params, const char *const *names, size_t n,
                               const char **chosen, size_t *n_chosen, egc_error *err);

    /* Stores the chosen hosts' names (borrowed, they outlive params), the largest latency between
     * two of them, and the smallest bandwidth of their links. */
    void (*set_network)(void *params, const char *const *names, size_t n, double latency_s,
                        double bandwidth_Bps);
    const char *(*host_name)(const void *params, size_t host); /* its name in the file */
    bool (*own_speeds)(const void *params); /* hosts keep their speeds, relative to host 0 */
} egc_cluster_type;

/* Every registered type, NULL-terminated, in the order of list.def. */
const egc_cluster_type *const *egc_cluster_types(void);

/* The type called name. NAME, listing the valid ones. */
egc_status egc_cluster_find(const char *name, const egc_cluster_type **out,
                            egc_error *err) EGC_MUST_CHECK;

/* Checks parameters that were just set, without a platform. RANGE for any value on which SimGrid
 * would abort or compute wrongly. */
egc_status egc_cluster_check(const egc_cluster_type *type, const void *params,
                             egc_error *err) EGC_MUST_CHECK;

/* Checks that device and links have the powers that energy accounting needs. RANGE, the message
 * beginning with the key. */
egc_status egc_cluster_check_power(const egc_cluster_common *common, const egc_device *device,
                                   egc_error *err) EGC_MUST_CHECK;

egc_cluster_paths egc_cluster_paths_of(const egc_cluster_type *type, const void *params);

/* Sustained speed of a host: `speed`, or that of the device. */
double egc_cluster_host_flops(const egc_cluster_common *common, const egc_device *device);

/* True if nothing about the cluster changes during a run. False for platform files, which may hold
 * profiles. */
bool egc_cluster_is_steady(const egc_cluster_type *type, const void *params);

/* SimGrid's name of a host: borrowed from params, or written to out. */
#define EGC_HOST_NAME 32
const char *egc_cluster_host_name(const egc_cluster_type *type, const void *params, size_t host,
                                  char out[EGC_HOST_NAME]);

/* ---- for cluster types ----------------------------------------------------------------------- */

/* Checks bandwidth * efficiency and latency of a link. RANGE, naming the link,
 * outside the limits of net/cluster/limits.h. */
egc_status egc_cluster_check_link(const egc_cluster_common *common, const char *name,
                                  double bandwidth_Bps, double latency_s,
                                  egc_error *err) EGC_MUST_CHECK;

/* RANGE for a latency of 0 between some hosts and one above 0 between others: SimGrid would starve
 * the messages without latency. */
egc_status egc_cluster_check_latencies(const char *near_name, double near_s, const char *far_name,
                                       double far_s, egc_error *err) EGC_MUST_CHECK;

/* a * b; SIZE_MAX on overflow. */
size_t egc_cluster_product(size_t a, size_t b);

#endif
