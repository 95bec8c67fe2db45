/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a cluster is: hosts, links, and the SimGrid platform that models them.
 *
 * A cluster is one const descriptor in one file of clusters/, named by one line of its list.def.
 * Its params struct begins with egc_cluster_common, so that code which needs only a bandwidth or a
 * device need not know the topology. */
#ifndef EGC_NET_CLUSTER_CLUSTER_H
#define EGC_NET_CLUSTER_CLUSTER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/param.h"
#include "net/cluster/device.h"

/* Stacks and page maps of more actors than this exceed what Linux gives a process by default. */
#define EGC_CLUSTER_HOSTS_MAX 16384

/* What a simulation stays right with, whoever says it. Outside of these SimGrid aborts, takes a
 * value for 0, or passes dates so late that a step of the clock is less than their last digit. */
#define EGC_LINK_BPS_MIN 1.0
#define EGC_LINK_BPS_MAX 1e18
#define EGC_TIME_S_MAX 1e9 /* of a latency, and of the clock */
#define EGC_HOST_FLOPS_MIN 1.0
#define EGC_HOST_FLOPS_MAX 1e24
#define EGC_SLOWDOWN_MAX 1e6 /* of a host, of all kinds */

#define EGC_EVENT_NAME 128 /* of a host or a link, or a pattern; terminator included */

typedef enum egc_event_state { EGC_EVENT_SAME, EGC_EVENT_DOWN, EGC_EVENT_UP } egc_event_state;

/* Something that happens to hosts or to links while a run is under way. */
typedef struct egc_event {
    double at_s;
    char host[EGC_EVENT_NAME], link[EGC_EVENT_NAME]; /* one of them: a name or a pattern */
    double bandwidth_Bps, latency_s;                 /* of a link; NAN: stays */
    double speed;                                    /* of a host, of its usual one; NAN: stays */
    int state;                                       /* egc_event_state */
} egc_event;

typedef struct egc_cluster_common {
    double bandwidth_Bps; /* of one host's link, each way; NAN: a file says it */
    double latency_s;     /* one way; between what, each cluster says */
    double efficiency;    /* share of the nominal bandwidth that applications get */
    int64_t cores;        /* streams of a device that run at full speed side by side */
    double speed_flops;   /* overrides the device's flops * efficiency; NAN: the device decides */
    char device[EGC_TEXT_LENGTH]; /* name of a profile in scripts/devices.lua */
    egc_param_list profiles;      /* of egc_event: net/world/events.h */
    egc_param_list host_speeds;   /* of double: net/world/speed.h has these four */
    double stragglers, straggler_slowdown, jitter;
    double background, background_burst_bytes; /* net/world/background.h */
    double link_idle_W, link_busy_W;           /* of each way of a link: net/world/energy.h */
} egc_cluster_common;

extern const egc_param_item egc_events_item, egc_cluster_speed_item;

/* The rows of the common part; every cluster's table starts with them. What the bandwidth and the
 * latency are of differs. */
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
        EGC_PARAM(type, common.profiles, LIST, "profiles",                                         \
                  "what happens to hosts and links, and when",                                     \
                  .choices = EGC_PARAM_ITEMS(&egc_events_item))

/* Who computes, how evenly, beside what, and at what power: the rows that a platform file's cluster
 * has too. */
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

/* What messages can expect of a cluster while it is idle, in rough figures: for choosing among
 * exchanges, and as bounds. */
typedef struct egc_cluster_paths {
    double latency_s;     /* between hosts that are not near, about the mean */
    double bandwidth_Bps; /* of a message that is alone */
    double contended_Bps; /* of each host's when all send to hosts far away; at most that alone */
    size_t near;          /* so many hosts that follow each other are near; 1: none are */
    double local_latency_s, local_bandwidth_Bps; /* between these */
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
     * at `speed_flops`; net/cluster/writer.h has the pieces. Called when `check` found nothing. */
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
    const char *(*file)(const void *params);    /* what SimGrid loads */
    uint64_t (*hash_files)(const void *params); /* of what is in it and in those that it names */
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

/* What a host computes at: `speed`, or what the device sustains. */
double egc_cluster_host_flops(const egc_cluster_common *common, const egc_device *device);

/* Whether nothing about it changes while a run is under way, as far as is known. */
bool egc_cluster_is_steady(const egc_cluster_type *type, const void *params);

/* What SimGrid calls a host. Writes to out only when it must. */
#define EGC_HOST_NAME 32
const char *egc_cluster_host_name(const egc_cluster_type *type, const void *params, size_t host,
                                  char out[EGC_HOST_NAME]);

#endif
