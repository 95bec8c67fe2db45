/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Racks: hosts on a switch in each rack, and the racks on a core that is thinner than they are.
 *
 *     host --> rack switch --uplink--> core --uplink--> rack switch --> host
 *
 * A rack's uplink carries its hosts' joint bandwidth / oversubscription, each way. Inside a rack a
 * message takes latency, between racks latency + core_latency. With an even number of racks the
 * bisection is racks / 2 uplinks; diameter: 4 links. */
#include <math.h>
#include <stddef.h>

#include "net/cluster/writer.h"

typedef struct racks {
    egc_cluster_common common;
    int64_t n_racks, rack_hosts;
    double oversubscription;
    double core_latency_s; /* NAN: as latency */
} racks;

static const egc_param params[] = {
    EGC_CLUSTER_COMMON_PARAMS(racks, "bandwidth of a host's link, each way",
                              "latency from host to host in a rack, one way"),
    EGC_PARAM(racks, n_racks, INT, "racks", "number of racks", .def = 4, .min = 1,
              .max = EGC_GROUPS_MAX - 1),
    EGC_PARAM(racks, rack_hosts, INT, "rack_hosts", "hosts in a rack", .def = 8, .min = 1,
              .max = EGC_CLUSTER_HOSTS_MAX),
    EGC_PARAM(racks, oversubscription, REAL, "oversubscription",
              "joint bandwidth of a rack's hosts / that of its uplink", .def = 4, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(racks, core_latency_s, REAL, "core_latency",
              "added between racks, one way; unset: as latency", .quantity = EGC_QUANTITY_TIME,
              .def = NAN, .max = INFINITY),
    EGC_PARAM_END,
};

static size_t hosts(const void *object)
{
    const racks *cluster = object;
    return egc_cluster_product((size_t)cluster->n_racks, (size_t)cluster->rack_hosts);
}

static double core_latency_s(const racks *cluster)
{
    return isnan(cluster->core_latency_s) ? cluster->common.latency_s : cluster->core_latency_s;
}

static double uplink_Bps(const racks *cluster)
{
    return (double)cluster->rack_hosts * cluster->common.bandwidth_Bps / cluster->oversubscription;
}

static egc_status check(const void *object, egc_error *err)
{
    const racks *cluster = object;
    egc_status status = egc_cluster_check_link(&cluster->common, "an uplink", uplink_Bps(cluster),
                                               core_latency_s(cluster), err);
    return status ? status
                  : egc_cluster_check_latencies("latency", cluster->common.latency_s,
                                                "core_latency", core_latency_s(cluster), err);
}

static egc_status write_platform(const void *object, double speed_flops, egc_buf *xml,
                                 egc_error *err)
{
    const racks *cluster = object;
    const egc_cluster_common *common = &cluster->common;
    size_t n_racks = (size_t)cluster->n_racks, rack_hosts = (size_t)cluster->rack_hosts;
    egc_writer w = egc_writer_begin(common, speed_flops, xml, err);
    egc_writer_zone_begin(&w, EGC_ZONE_ALL, "Floyd");
    for (size_t r = 0; r < n_racks; r++)
        egc_writer_group(&w, &(egc_host_group){.number = r,
                                               .first = r * rack_hosts,
                                               .n = rack_hosts,
                                               .bandwidth_Bps = common->bandwidth_Bps,
                                               .latency_s = common->latency_s / 2});
    egc_writer_core(&w);
    for (size_t r = 0; r < n_racks; r++)
        egc_writer_link(&w, r, EGC_SWITCH_CORE, uplink_Bps(cluster), core_latency_s(cluster) / 2);
    egc_writer_zone_end(&w);
    return egc_writer_end(&w);
}

/* The hosts of a rack share its uplink. */
static void find_paths(const void *object, egc_cluster_paths *paths)
{
    const racks *cluster = object;
    double up_Bps = uplink_Bps(cluster) * cluster->common.efficiency;
    paths->local_hosts = (size_t)cluster->rack_hosts;
    paths->local_latency_s = paths->latency_s;
    paths->local_bandwidth_Bps = paths->bandwidth_Bps;
    paths->latency_s += core_latency_s(cluster);
    paths->bandwidth_Bps = fmin(paths->local_bandwidth_Bps, up_Bps);
    paths->contended_Bps = fmin(paths->local_bandwidth_Bps, up_Bps / (double)cluster->rack_hosts);
}

const egc_cluster_type egc_cluster_racks = {
    .name = "racks",
    .summary = "racks on an over-subscribed core",
    .reference = "Barroso, Hoelzle, The datacenter as a computer, 2009: over-subscription of "
                 "cluster-level switches",
    .params = params,
    .params_size = sizeof(racks),
    .check = check,
    .hosts = hosts,
    .write_platform = write_platform,
    .paths = find_paths,
};
