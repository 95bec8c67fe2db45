/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A wide-area network: federated clients, each behind an access link of its own with its own
 * bandwidth up, bandwidth down, and latency; the network between access links never congests.
 *
 *     client-i --up_i--> internet --down_j--> client-j      latency_i + latency_j
 *
 * The numbers are drawn once, from the cluster's own seed: the network stays the same when the
 * run's seed changes. With spread s a bandwidth is its median * exp(s z), z standard normal
 * ("lognormal"), or uniform in median * [1 - s, 1 + s]; latencies likewise with latency_spread.
 * `clients` says medians for groups of clients: one client a group, and no spread, is a list of
 * individual links. With `server`, host 0 is a server with that bandwidth each way and no access
 * latency, and the clients come after it.
 *
 * With equal links the bisection is hosts / 2 of them; diameter: 2 links. Where flows of different
 * latencies meet at one link, SimGrid shares it by 1 / latency, as TCP does. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/rng.h"
#include "net/cluster/writer.h"

typedef enum distribution { LOGNORMAL, UNIFORM } distribution;

typedef struct wan {
    egc_cluster_common common;
    double up_Bps; /* NAN: as bandwidth */
    int64_t hosts;
    double spread, latency_spread;
    int distribution;
    int64_t seed;
    egc_param_list clients; /* items: group */
    double server_Bps;      /* NAN: no server */
} wan;

/* NAN: the cluster's own. */
typedef struct group {
    int64_t hosts;
    double bandwidth_Bps, up_Bps, latency_s;
} group;

typedef struct access_link {
    double up_Bps, down_Bps, latency_s;
} access_link;

static const egc_param group_params[] = {
    EGC_PARAM(group, hosts, INT, "hosts", "clients in the group", .def = 1, .min = 1,
              .max = EGC_CLUSTER_HOSTS_MAX),
    EGC_PARAM(group, bandwidth_Bps, REAL, "bandwidth", "bandwidth down; unset: the cluster's",
              .quantity = EGC_QUANTITY_BANDWIDTH, .def = NAN, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(group, up_Bps, REAL, "up", "bandwidth up; unset: the cluster's",
              .quantity = EGC_QUANTITY_BANDWIDTH, .def = NAN, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(group, latency_s, REAL, "latency", "latency of the access link; unset: the cluster's",
              .quantity = EGC_QUANTITY_TIME, .def = NAN, .max = INFINITY),
    EGC_PARAM_END,
};
static const egc_param_item group_item = {group_params, sizeof(group)};
static const char *const distributions[] = {"lognormal", "uniform", NULL};

static const egc_param params[] = {
    EGC_CLUSTER_NETWORK_PARAMS(wan, 6.25e6, "bandwidth down of a client's access link, median",
                               10e-3, "latency of a client's access link, one way, median"),
    EGC_CLUSTER_DEVICE_PARAMS(wan),
    EGC_PARAM(wan, up_Bps, REAL, "up", "bandwidth up, median; unset: as bandwidth",
              .quantity = EGC_QUANTITY_BANDWIDTH, .def = NAN, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(wan, hosts, INT, "hosts", "number of clients, when `clients` is empty", .def = 8,
              .min = 1, .max = EGC_CLUSTER_HOSTS_MAX),
    EGC_PARAM(wan, spread, REAL, "spread",
              "of bandwidths about their medians: sigma of the logarithm, or half the range",
              .max = 10),
    EGC_PARAM(wan, latency_spread, REAL, "latency_spread", "of latencies, likewise", .max = 10),
    EGC_PARAM(wan, distribution, CHOICE, "distribution",
              "what bandwidths and latencies are drawn from", .def = LOGNORMAL,
              .choices = distributions),
    EGC_PARAM(wan, seed, INT, "seed", "of what is drawn", .def = 1, .max = 0x1p53),
    EGC_PARAM(wan, clients, LIST, "clients", "medians for groups of clients",
              .choices = EGC_PARAM_ITEMS(&group_item)),
    EGC_PARAM(wan, server_Bps, REAL, "server",
              "bandwidth each way of host 0, then a server; unset: all hosts are clients",
              .quantity = EGC_QUANTITY_BANDWIDTH, .def = NAN, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM_END,
};

static bool has_server(const wan *cluster)
{
    return !isnan(cluster->server_Bps);
}

static size_t hosts(const void *object)
{
    const wan *cluster = object;
    const group *groups = cluster->clients.items;
    size_t n = cluster->clients.n ? 0 : (size_t)cluster->hosts;
    for (size_t i = 0; i < cluster->clients.n; i++)
        n += (size_t)groups[i].hosts;
    return n + has_server(cluster);
}

/* ---- links of clients ---------------------------------------------------------------------- */

static double either(double value, double fallback)
{
    return isnan(value) ? fallback : value;
}

/* The medians of a client. */
static access_link median(const wan *cluster, size_t client)
{
    const group *groups = cluster->clients.items;
    double down_Bps = cluster->common.bandwidth_Bps;
    access_link all = {either(cluster->up_Bps, down_Bps), down_Bps, cluster->common.latency_s};
    for (size_t i = 0; i < cluster->clients.n; i++) {
        const group *g = &groups[i];
        if (client < (size_t)g->hosts)
            return (access_link){
                either(g->up_Bps, either(cluster->up_Bps, either(g->bandwidth_Bps, down_Bps))),
                either(g->bandwidth_Bps, all.down_Bps), either(g->latency_s, all.latency_s)};
        client -= (size_t)g->hosts;
    }
    return all;
}

/* The random factor of one of a client's figures, numbered by `which`. */
static double factor(const wan *cluster, size_t client, uint64_t which, double spread)
{
    uint64_t state = egc_rng_derive_seed((uint64_t)cluster->seed, client, which);
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    if (cluster->distribution == UNIFORM)
        return gsl_ran_flat(&rng, 1 - spread, 1 + spread);
    return exp(spread * gsl_ran_gaussian(&rng, 1));
}

static access_link access_of(const wan *cluster, size_t host)
{
    if (has_server(cluster) && host == 0)
        return (access_link){cluster->server_Bps, cluster->server_Bps, 0};
    size_t client = host - has_server(cluster);
    access_link link = median(cluster, client);
    if (cluster->spread > 0) {
        link.up_Bps *= factor(cluster, client, 0, cluster->spread);
        link.down_Bps *= factor(cluster, client, 1, cluster->spread);
    }
    if (cluster->latency_spread > 0)
        link.latency_s *= factor(cluster, client, 2, cluster->latency_spread);
    return link;
}

/* ---- the cluster --------------------------------------------------------------------------- */

static egc_status check_spread(const wan *cluster, const char *name, double spread, egc_error *err)
{
    if (cluster->distribution != UNIFORM || spread < 1)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_RANGE, "%s must be in [0, 1) when uniform, got %g", name,
                    spread);
}

static egc_status check(const void *object, egc_error *err)
{
    const wan *cluster = object;
    size_t n = hosts(cluster), without = 0;
    egc_status status = check_spread(cluster, "spread", cluster->spread, err);
    if (!status)
        status = check_spread(cluster, "latency_spread", cluster->latency_spread, err);
    for (size_t host = 0; host < n && !status; host++) {
        access_link link = access_of(cluster, host);
        char what[32];
        snprintf(what, sizeof what, "host %zu", host);
        status = egc_cluster_check_link(&cluster->common, what, link.up_Bps, link.latency_s, err);
        if (!status)
            status =
                egc_cluster_check_link(&cluster->common, what, link.down_Bps, link.latency_s, err);
        without += link.latency_s == 0;
    }
    /* Two hosts without latency have none between them. */
    if (!status && without > 1 && without < n)
        status = egc_fail(err, EGC_ERROR_RANGE,
                          "latency must be > 0 for all hosts but one, or 0 for all; got 0 for %zu "
                          "of %zu (SimGrid starves messages without latency beside others)",
                          without, n);
    return status;
}

static egc_status write_platform(const void *object, double speed_flops, egc_buf *xml,
                                 egc_error *err)
{
    const wan *cluster = object;
    egc_writer w = egc_writer_begin(&cluster->common, speed_flops, xml, err);
    egc_writer_zone_begin(&w, EGC_ZONE_ALL, "Cluster");
    for (size_t host = 0; host < hosts(cluster); host++) {
        access_link link = access_of(cluster, host);
        egc_writer_host(&w, host, link.up_Bps, link.down_Bps, link.latency_s);
    }
    egc_writer_zone_end(&w);
    return egc_writer_end(&w);
}

/* Two access links, of clients with the medians. */
static void find_paths(const void *object, egc_cluster_paths *paths)
{
    const wan *cluster = object;
    double efficiency = cluster->common.efficiency, fastest_Bps = 0;
    access_link usual = median(cluster, 0);
    for (size_t host = 0; host < hosts(cluster); host++) {
        access_link link = access_of(cluster, host);
        fastest_Bps = fmax(fastest_Bps, fmax(link.up_Bps, link.down_Bps));
    }
    paths->latency_s = 2 * usual.latency_s;
    paths->bandwidth_Bps = fmin(usual.up_Bps, usual.down_Bps) * efficiency;
    paths->contended_Bps = paths->bandwidth_Bps;
    paths->host_Bps = fastest_Bps * efficiency;
}

const egc_cluster_type egc_cluster_wan = {
    .name = "wan",
    .summary = "federated clients with access links of their own",
    .reference = "Kairouz et al., Advances and open problems in federated learning, 2021: clients "
                 "with slow, unequal and asymmetric links",
    .params = params,
    .params_size = sizeof(wan),
    .check = check,
    .hosts = hosts,
    .write_platform = write_platform,
    .paths = find_paths,
};
