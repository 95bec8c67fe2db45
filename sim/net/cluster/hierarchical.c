/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of several GPUs: fast links inside a node, one network card to the outside.
 *
 *     gpu --> node switch --nic--> network --nic--> node switch --> gpu
 *
 * A host is a GPU. Inside a node a message takes gpu_latency at gpu_bandwidth; between nodes
 * gpu_latency + latency, and the GPUs of a node share its card, bandwidth each way. The network
 * between nodes never congests. With an even number of nodes the bisection is nodes / 2 cards;
 * diameter: 4 links. */
#include <math.h>
#include <stddef.h>

#include "net/cluster/writer.h"

typedef struct hierarchical {
    egc_cluster_common common;
    int64_t nodes, gpus;
    double gpu_Bps, gpu_latency_s;
} hierarchical;

/* A V100 has 6 links of NVLink 2, each of 25 GB/s each way: NVIDIA, Tesla V100 GPU architecture,
 * 2017. */
#define NVLINK2_BPS 150e9

static const egc_param params[] = {
    EGC_CLUSTER_COMMON_PARAMS(hierarchical, "bandwidth of a node's network card, each way",
                              "added between nodes, one way"),
    EGC_PARAM(hierarchical, nodes, INT, "nodes", "number of nodes", .def = 4, .min = 1,
              .max = EGC_GROUPS_MAX - 1),
    EGC_PARAM(hierarchical, gpus, INT, "gpus", "GPUs in a node, each a host", .def = 8, .min = 1,
              .max = EGC_CLUSTER_HOSTS_MAX),
    EGC_PARAM(hierarchical, gpu_Bps, REAL, "gpu_bandwidth",
              "bandwidth of a GPU's link inside its node, each way",
              .quantity = EGC_QUANTITY_BANDWIDTH, .def = NVLINK2_BPS, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(hierarchical, gpu_latency_s, REAL, "gpu_latency",
              "latency from GPU to GPU inside a node, one way", .quantity = EGC_QUANTITY_TIME,
              .def = 5e-6, .max = INFINITY),
    EGC_PARAM_END,
};

static size_t hosts(const void *object)
{
    const hierarchical *cluster = object;
    return egc_cluster_product((size_t)cluster->nodes, (size_t)cluster->gpus);
}

static egc_status check(const void *object, egc_error *err)
{
    const hierarchical *cluster = object;
    egc_status status = egc_cluster_check_link(&cluster->common, "a GPU", cluster->gpu_Bps,
                                               cluster->gpu_latency_s, err);
    return status ? status
                  : egc_cluster_check_latencies("gpu_latency", cluster->gpu_latency_s, "latency",
                                                cluster->common.latency_s, err);
}

static egc_status write_platform(const void *object, double speed_flops, egc_buf *xml,
                                 egc_error *err)
{
    const hierarchical *cluster = object;
    const egc_cluster_common *common = &cluster->common;
    size_t nodes = (size_t)cluster->nodes, gpus = (size_t)cluster->gpus;
    egc_writer w = egc_writer_begin(common, speed_flops, xml, err);
    egc_writer_zone_begin(&w, EGC_ZONE_ALL, "Floyd");
    for (size_t node = 0; node < nodes; node++)
        egc_writer_group(&w, &(egc_host_group){.number = node,
                                               .first = node * gpus,
                                               .n = gpus,
                                               .bandwidth_Bps = cluster->gpu_Bps,
                                               .latency_s = cluster->gpu_latency_s / 2});
    egc_writer_core(&w);
    for (size_t node = 0; node < nodes; node++)
        egc_writer_link(&w, node, EGC_SWITCH_CORE, common->bandwidth_Bps, common->latency_s / 2);
    egc_writer_zone_end(&w);
    return egc_writer_end(&w);
}

/* The GPUs of a node share its card. */
static void find_paths(const void *object, egc_cluster_paths *paths)
{
    const hierarchical *cluster = object;
    double gpu_Bps = cluster->gpu_Bps * cluster->common.efficiency, nic_Bps = paths->bandwidth_Bps;
    paths->latency_s += cluster->gpu_latency_s;
    paths->bandwidth_Bps = fmin(nic_Bps, gpu_Bps);
    paths->contended_Bps = fmin(nic_Bps / (double)cluster->gpus, gpu_Bps);
    paths->local_hosts = (size_t)cluster->gpus;
    paths->local_latency_s = cluster->gpu_latency_s;
    paths->local_bandwidth_Bps = paths->host_Bps = gpu_Bps;
}

const egc_cluster_type egc_cluster_hierarchical = {
    .name = "hierarchical",
    .summary = "nodes of several GPUs that share a network card",
    .reference = "NVIDIA, DGX-1 with Tesla V100 system architecture, 2017, with one card a node",
    .params = params,
    .params_size = sizeof(hierarchical),
    .check = check,
    .hosts = hosts,
    .write_platform = write_platform,
    .paths = find_paths,
};
