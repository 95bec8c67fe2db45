/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A dragonfly: groups of routers, every two groups joined by one long link.
 *
 *     a group: chassis x routers     green  every two routers of a chassis
 *                                    black  every two routers at one place of their chassis
 *     between groups                 blue   every two groups, by one router of each
 *
 * The routers of a group take turns at holding its blue links: that to the i-th other group is
 * held by router i mod (chassis * routers). Routing is minimal: up to two links to the router that
 * holds the blue link, the blue link, up to two links from its other end; never through a third
 * group, and not adaptive. With an even number g of groups the bisection is (g / 2)^2 blue links,
 * or less when hosts cannot fill them; diameter: 7 links.
 *
 * Not SimGrid's own dragonfly: with two chassis or more it sends messages over links that do not
 * touch, and with more groups than routers in a chassis it crashes (3.32). */
#include <math.h>
#include <stddef.h>

#include "net/cluster/writer.h"

typedef struct dragonfly {
    egc_cluster_common common;
    int64_t groups, chassis, routers, nodes;
    int64_t blue, black, green;
} dragonfly;

#define COUNT(field, text, usual, most)                                                            \
    EGC_PARAM(dragonfly, field, INT, #field, text, .def = usual, .min = 1, .max = most)

static const egc_param params[] = {
    EGC_CLUSTER_COMMON_PARAMS(
        dragonfly, "bandwidth of a host's link and of a cable, each way",
        "latency of a link, one way; two hosts of a router are 2 links apart"),
    COUNT(groups, "groups", 4, EGC_GROUPS_MAX),
    COUNT(chassis, "chassis in a group", 2, EGC_GROUPS_MAX),
    COUNT(routers, "routers in a chassis", 2, EGC_GROUPS_MAX),
    COUNT(nodes, "hosts at a router", 2, EGC_CLUSTER_HOSTS_MAX),
    COUNT(blue, "cables between two groups, as one link with the bandwidth of all", 1, 65536),
    COUNT(black, "cables between two chassis at each place, likewise", 1, 65536),
    COUNT(green, "cables between two routers of a chassis, likewise", 1, 65536),
    EGC_PARAM_END,
};

static size_t hosts(const void *object)
{
    const dragonfly *fly = object;
    size_t n = egc_cluster_product((size_t)fly->groups, (size_t)fly->chassis);
    n = egc_cluster_product(n, (size_t)fly->routers);
    return egc_cluster_product(n, (size_t)fly->nodes);
}

static egc_status check(const void *object, egc_error *err)
{
    const dragonfly *fly = object;
    const egc_cluster_common *common = &fly->common;
    if (fly->chassis * fly->routers > EGC_GROUPS_MAX)
        return egc_fail(err, EGC_ERROR_RANGE, "chassis * routers must be at most %d, got %lld",
                        EGC_GROUPS_MAX, (long long)(fly->chassis * fly->routers));
    double most = fmax((double)fly->blue, fmax((double)fly->black, (double)fly->green));
    return egc_cluster_check_link(common, "a link of several cables", most * common->bandwidth_Bps,
                                  common->latency_s, err);
}

static double cables_Bps(const dragonfly *fly, int64_t cables)
{
    return (double)cables * fly->common.bandwidth_Bps;
}

/* A group's routers, each with its hosts, and the green and black links between them. */
static void write_group(egc_writer *w, const dragonfly *fly, size_t group)
{
    size_t per_chassis = (size_t)fly->routers, n = (size_t)fly->chassis * per_chassis;
    size_t first = group * n, nodes = (size_t)fly->nodes;
    double latency_s = fly->common.latency_s;
    egc_writer_zone_begin(w, group, "Floyd");
    for (size_t r = first; r < first + n; r++)
        egc_writer_group(w, &(egc_host_group){.number = r,
                                              .first = r * nodes,
                                              .n = nodes,
                                              .bandwidth_Bps = fly->common.bandwidth_Bps,
                                              .latency_s = latency_s});
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            if (a / per_chassis == b / per_chassis)
                egc_writer_link(w, first + a, first + b, cables_Bps(fly, fly->green), latency_s);
            else if (a % per_chassis == b % per_chassis)
                egc_writer_link(w, first + a, first + b, cables_Bps(fly, fly->black), latency_s);
    egc_writer_zone_end(w);
}

/* The router at which group `from` holds its link to group `to`. */
static egc_zone_end gateway(const dragonfly *fly, size_t from, size_t to)
{
    size_t per_group = (size_t)(fly->chassis * fly->routers);
    return (egc_zone_end){from, from * per_group + (to < from ? to : to - 1) % per_group};
}

static egc_status write_platform(const void *object, double speed_flops, egc_buf *xml,
                                 egc_error *err)
{
    const dragonfly *fly = object;
    size_t groups = (size_t)fly->groups;
    egc_writer w = egc_writer_begin(&fly->common, speed_flops, xml, err);
    egc_writer_zone_begin(&w, EGC_ZONE_ALL, "Full");
    for (size_t g = 0; g < groups; g++)
        write_group(&w, fly, g);
    for (size_t a = 0; a < groups; a++)
        for (size_t b = a + 1; b < groups; b++)
            egc_writer_zone_link(&w, gateway(fly, a, b), gateway(fly, b, a),
                                 cables_Bps(fly, fly->blue), fly->common.latency_s);
    egc_writer_zone_end(&w);
    return egc_writer_end(&w);
}

/* Between groups: two links to the routers, and of the three on the way there and the two on the
 * way on about half. A group's hosts share its blue links. */
static void find_paths(const void *object, egc_cluster_paths *paths)
{
    const dragonfly *fly = object;
    double group_hosts = (double)fly->chassis * (double)fly->routers * (double)fly->nodes;
    double blue = (double)(fly->groups - 1) * (double)fly->blue;
    paths->latency_s *= 5;
    if (fly->groups > 1)
        paths->contended_Bps *= fmin(1, blue / group_hosts);
}

const egc_cluster_type egc_cluster_dragonfly = {
    .name = "dragonfly",
    .summary = "groups of routers, every two groups joined by one long link",
    .reference = "Kim, Dally, Scott, Abts, Technology-driven, highly-scalable dragonfly topology, "
                 "2008; Faanes et al., Cray Cascade, 2012, for chassis and colours",
    .params = params,
    .params_size = sizeof(dragonfly),
    .check = check,
    .hosts = hosts,
    .write_platform = write_platform,
    .paths = find_paths,
};
