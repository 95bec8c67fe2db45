/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every host on one switch that never congests.
 *
 *     host-i --up--> switch --down--> host-j
 *
 * Each direction of a host's link carries bandwidth * efficiency and half of the latency, so that
 * a lone message of b bytes takes latency + b / (bandwidth * efficiency) from host to host, and
 * sending does not slow receiving. A host talks to itself over a loopback of its own. */
#include <math.h>
#include <stddef.h>

#include "net/cluster.h"

/* SimGrid's loopback bandwidth; its latency of 0 is avoided because a flow without latency
 * starves those that have some. */
#define LOOPBACK_BPS 10e9
#define LOOPBACK_S 1e-7

/* Stacks and page maps of more actors than this exceed what Linux gives a process by default. */
#define MAX_HOSTS 16384

typedef struct star {
    egc_cluster_common common;
    int64_t hosts;
} star;

static const egc_param params[] = {
    EGC_CLUSTER_COMMON_PARAMS(star),
    {"hosts", "number of hosts", EGC_PARAM_INT, EGC_QUANTITY_NONE, offsetof(star, hosts), 8, 1,
     MAX_HOSTS, 0, NULL, NULL},
    EGC_PARAM_END,
};

static size_t hosts(const void *object)
{
    return (size_t)((const star *)object)->hosts;
}

/* Parameters may be infinite by their table, and a product may underflow; SimGrid would abort. */
static egc_status check(const star *cluster, double speed_flops, egc_error *err)
{
    const egc_cluster_common *common = &cluster->common;
    double goodput_Bps = common->bandwidth_Bps * common->efficiency;
    if (!(isfinite(goodput_Bps) && goodput_Bps > 0))
        return egc_fail(err, EGC_ERROR_RANGE,
                        "bandwidth * efficiency must be > 0 and finite, got %g B/s", goodput_Bps);
    if (!(isfinite(common->latency_s) && common->latency_s >= 0))
        return egc_fail(err, EGC_ERROR_RANGE, "latency must be >= 0 and finite, got %g s",
                        common->latency_s);
    if (!(isfinite(speed_flops) && speed_flops > 0))
        return egc_fail(err, EGC_ERROR_RANGE, "speed must be > 0 and finite, got %g flop/s",
                        speed_flops);
    if (common->cores < 1 || common->cores > 1024)
        return egc_fail(err, EGC_ERROR_RANGE, "cores must be in [1, 1024], got %lld",
                        (long long)common->cores);
    if (cluster->hosts < 1 || cluster->hosts > MAX_HOSTS)
        return egc_fail(err, EGC_ERROR_RANGE, "hosts must be in [1, %d], got %lld", MAX_HOSTS,
                        (long long)cluster->hosts);
    return EGC_OK;
}

static egc_status write_platform(const void *object, double speed_flops, egc_buf *xml,
                                 egc_error *err)
{
    const star *cluster = object;
    egc_status status = check(cluster, speed_flops, err);
    if (status)
        return status;
    char speed[32], goodput[32], half_latency[32];
    egc_real_format(speed_flops, speed, sizeof speed);
    egc_real_format(cluster->common.bandwidth_Bps * cluster->common.efficiency, goodput,
                    sizeof goodput);
    egc_real_format(cluster->common.latency_s / 2, half_latency, sizeof half_latency);
    return egc_buf_printf(xml, err,
                          "<?xml version=\"1.0\"?>\n"
                          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                          "<platform version=\"4.1\">\n"
                          "  <cluster id=\"star\" prefix=\"host-\" radical=\"0-%lld\" suffix=\"\"\n"
                          "           speed=\"%sf\" core=\"%lld\" bw=\"%sBps\" lat=\"%ss\"\n"
                          "           sharing_policy=\"SPLITDUPLEX\"\n"
                          "           loopback_bw=\"%gBps\" loopback_lat=\"%gs\"/>\n"
                          "</platform>\n",
                          (long long)cluster->hosts - 1, speed, (long long)cluster->common.cores,
                          goodput, half_latency, LOOPBACK_BPS, LOOPBACK_S);
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
