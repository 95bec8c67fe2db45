/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A torus: hosts at the points of a grid that is closed in every dimension, each linked to its two
 * neighbours in each; no switches.
 *
 *     dims = {4, 2}:   0 - 1 - 2 - 3 - (0)      numbered along the first dimension first
 *                      |   |   |   |
 *                      4 - 5 - 6 - 7 - (4)
 *
 * Messages go the shorter way round in one dimension after the other, in the order given. A
 * dimension of 2 has one link between its two hosts, one of 1 has none. With n hosts and a longest
 * dimension d > 2 the bisection is 2 n / d links, n / 2 for d = 2; the diameter is the sum of
 * the halves of the dimensions. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "net/cluster/writer.h"

enum { DIMS_MAX = 16, DIMS_ROOM = DIMS_MAX * 8 };

typedef struct torus {
    egc_cluster_common common;
    egc_param_list dims; /* items: int64_t */
} torus;

static const egc_param params[] = {
    EGC_CLUSTER_COMMON_PARAMS(torus, "bandwidth of a link, each way",
                              "latency of a link, from host to neighbour, one way"),
    EGC_PARAM(torus, dims, LIST, "dims", "hosts along each dimension",
              .choices = EGC_PARAM_ITEMS(&egc_cluster_size_item), .def_text = "{4, 4}"),
    EGC_PARAM_END,
};

static size_t n_dims(const torus *cluster)
{
    return cluster->dims.n ? cluster->dims.n : 2;
}

static size_t dim(const torus *cluster, size_t d)
{
    return cluster->dims.n ? (size_t)((const int64_t *)cluster->dims.items)[d] : 4;
}

static size_t hosts(const void *object)
{
    size_t n = 1;
    for (size_t d = 0; d < n_dims(object); d++)
        n = egc_cluster_product(n, dim(object, d));
    return n;
}

static egc_status check(const void *object, egc_error *err)
{
    size_t n = n_dims(object);
    return n <= DIMS_MAX ? EGC_OK
                         : egc_fail(err, EGC_ERROR_RANGE,
                                    "dims must be at most %d numbers, got %zu", DIMS_MAX, n);
}

/* Across the longest dimension: the fewest links. Of an odd one, the layer in the middle is cut in
 * two. */
static bool far_half(const void *object, size_t host)
{
    size_t longest = 0, stride = 1, before = 1, n = hosts(object);
    for (size_t d = 0; d < n_dims(object); d++) {
        if (dim(object, d) > dim(object, longest)) {
            longest = d;
            stride = before;
        }
        before *= dim(object, d);
    }
    size_t along = host / stride % dim(object, longest);
    size_t beside = host % stride + host / stride / dim(object, longest) * stride;
    return along * (n / dim(object, longest)) + beside >= n / 2;
}

/* Without dimensions of 1, of which SimGrid would make links from a host to itself, of two of them
 * two by the same name. */
static void format_dims(const torus *cluster, char out[DIMS_ROOM])
{
    size_t used = 0;
    for (size_t d = 0; d < n_dims(cluster); d++)
        if (dim(cluster, d) > 1)
            used += (size_t)snprintf(out + used, DIMS_ROOM - used, "%s%zu", used ? "," : "",
                                     dim(cluster, d));
    if (!used)
        snprintf(out, DIMS_ROOM, "1");
}

static egc_status write_platform(const void *object, double speed_flops, egc_buf *xml,
                                 egc_error *err)
{
    const torus *cluster = object;
    const egc_cluster_common *common = &cluster->common;
    char dims[DIMS_ROOM];
    format_dims(cluster, dims);
    egc_writer w = egc_writer_begin(common, speed_flops, xml, err);
    egc_writer_group(&w, &(egc_host_group){.n = hosts(cluster),
                                           .bandwidth_Bps = common->bandwidth_Bps,
                                           .latency_s = common->latency_s,
                                           .topology = "TORUS",
                                           .topo_parameters = dims});
    return egc_writer_end(&w);
}

/* Across the longest dimension d half of the hosts share 2 n / d links; a host has two links in
 * each dimension, of which the closed form of a message in a crowd knows nothing. */
static void find_paths(const void *object, egc_cluster_paths *paths)
{
    double links = 0, hops = 0, longest = 1;
    for (size_t d = 0; d < n_dims(object); d++) {
        size_t n = dim(object, d);
        hops += (double)(n / 2) * (double)(n - n / 2) / (double)n; /* the mean */
        links += n > 2 ? 2 : n > 1;
        longest = fmax(longest, (double)n);
    }
    paths->latency_s *= fmax(1, hops);
    paths->contended_Bps *= fmin(1, 4 / longest);
    paths->host_Bps *= fmax(1, links);
}

const egc_cluster_type egc_cluster_torus = {
    .name = "torus",
    .summary = "hosts linked to their neighbours in a closed grid",
    .reference = "Dally, Performance analysis of k-ary n-cube interconnection networks, 1990",
    .params = params,
    .params_size = sizeof(torus),
    .check = check,
    .hosts = hosts,
    .write_platform = write_platform,
    .paths = find_paths,
    .far_half = far_half,
};
