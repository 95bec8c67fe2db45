/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every host on one switch that never congests.
 *
 *     host-i --up--> switch --down--> host-j
 *
 * Each direction of a host's link carries bandwidth * efficiency and half of the latency, so that
 * a lone message of b bytes takes latency + b / (bandwidth * efficiency) from host to host, and
 * sending does not slow receiving. Bisection: hosts / 2 links; diameter: 2 links. */
#include <math.h>
#include <stddef.h>

#include "net/cluster/writer.h"

typedef struct star {
    egc_cluster_common common;
    int64_t hosts;
} star;

static const egc_param params[] = {
    EGC_CLUSTER_COMMON_PARAMS(star, "bandwidth of a host's link, each way",
                              "latency from host to host, one way"),
    EGC_PARAM(star, hosts, INT, "hosts", "number of hosts", .def = 8, .min = 1,
              .max = EGC_CLUSTER_HOSTS_MAX),
    EGC_PARAM_END,
};

static size_t hosts(const void *object)
{
    return (size_t)((const star *)object)->hosts;
}

static egc_status write_platform(const void *object, double speed_flops, egc_buf *xml,
                                 egc_error *err)
{
    const star *cluster = object;
    const egc_cluster_common *common = &cluster->common;
    egc_writer w = egc_writer_begin(common, speed_flops, xml, err);
    egc_writer_group(&w, &(egc_host_group){.n = hosts(cluster),
                                           .bandwidth_Bps = common->bandwidth_Bps,
                                           .latency_s = common->latency_s / 2});
    return egc_writer_end(&w);
}

const egc_cluster_type egc_cluster_star = {
    .name = "star",
    .summary = "every host on one switch that never congests",
    .reference = "the flat cluster of collective cost models: Thakur, Rabenseifner, Gropp, "
                 "Optimization of collective communication operations in MPICH, 2005",
    .params = params,
    .params_size = sizeof(star),
    .hosts = hosts,
    .write_platform = write_platform,
};
