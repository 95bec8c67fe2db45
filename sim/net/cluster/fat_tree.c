/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fat tree: hosts below leaf switches, leaf switches below others, each switch with as many
 * parents as it takes for the tree not to get thinner upwards, or fewer.
 *
 *     level 2        s0   s1        levels = 2, children = {2, 2}, parents = {2}:
 *                    | \ / |        every leaf is linked to every switch of level 2;
 *     level 1        l0   l1        as many links up from a leaf as hosts below it:
 *                   /  \ /  \       full bisection, 4 / 2 links each way
 *     hosts         0  1 2  3
 *
 * An extended generalised fat tree, XGFT(levels; children; 1, parents), with all links alike. The
 * path is up to the nearest common ancestor and down; the way up is chosen by the destination's
 * number (D-mod-K), which spreads shifts (host i to host i + k) evenly over all links if parents
 * divide children. With fewer parents than children a level is over-subscribed, children / parents
 * to 1, and the bisection shrinks by that. Diameter: 2 * levels links.
 *
 * Parallel links between two switches, of which SimGrid's trees can have some, are left out: it
 * sends shifts down over one of them only. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "net/cluster/writer.h"

enum { LEVELS_MAX = 8 };

/* SimGrid looks at every switch of a level for each switch of the next to link them. */
#define SWITCHES_MAX 16384

typedef struct fat_tree {
    egc_cluster_common common;
    int64_t levels;
    egc_param_list children, parents; /* items: int64_t */
} fat_tree;

static const egc_param params[] = {
    EGC_CLUSTER_COMMON_PARAMS(fat_tree, "bandwidth of a link, each way",
                              "latency of a link, one way; two hosts of a leaf are 2 links apart"),
    EGC_PARAM(fat_tree, levels, INT, "levels", "levels of switches", .def = 2, .min = 1,
              .max = LEVELS_MAX),
    EGC_PARAM(
        fat_tree, children, LIST, "children",
        "hosts below a leaf, then switches below each switch, one number a level; the last is "
        "repeated",
        .choices = EGC_PARAM_ITEMS(&egc_cluster_size_item), .def_text = "{4}"),
    EGC_PARAM(fat_tree, parents, LIST, "parents",
              "switches above a leaf and above each switch, one number a level but the last; fewer "
              "than children over-subscribe",
              .choices = EGC_PARAM_ITEMS(&egc_cluster_size_item), .def_text = "children"),
    EGC_PARAM_END,
};

/* The item for `level`, from 0; the last one counts for all that follow. */
static size_t item(const egc_param_list *list, size_t level, size_t fallback)
{
    const int64_t *items = list->items;
    return list->n ? (size_t)items[level < list->n ? level : list->n - 1] : fallback;
}

static size_t children(const fat_tree *tree, size_t level)
{
    return item(&tree->children, level, 4);
}

/* Parents of each node below the switches of `level`; a host has one. */
static size_t parents(const fat_tree *tree, size_t level)
{
    return level == 0 ? 1 : item(&tree->parents, level - 1, children(tree, level - 1));
}

static size_t hosts(const void *object)
{
    const fat_tree *tree = object;
    size_t n = 1;
    for (size_t level = 0; level < (size_t)tree->levels; level++)
        n = egc_cluster_product(n, children(tree, level));
    return n;
}

/* A switch of a level is named by its parents' choices below and the children's above. */
static size_t switches(const fat_tree *tree, size_t level)
{
    size_t n = 1;
    for (size_t l = 0; l < (size_t)tree->levels; l++)
        n = egc_cluster_product(n, l <= level ? parents(tree, l) : children(tree, l));
    return n;
}

static egc_status check_length(const char *name, const egc_param_list *list, size_t most,
                               egc_error *err)
{
    if (list->n <= most)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_RANGE,
                    "%s must be at most %zu numbers for so many levels, got %zu", name, most,
                    list->n);
}

static egc_status check(const void *object, egc_error *err)
{
    const fat_tree *tree = object;
    size_t levels = (size_t)tree->levels;
    egc_status status = check_length("children", &tree->children, levels, err);
    if (!status)
        status = check_length("parents", &tree->parents, levels - 1, err);
    for (size_t level = 0; level < levels && !status; level++)
        if (switches(tree, level) > SWITCHES_MAX)
            status = egc_fail(err, EGC_ERROR_RANGE,
                              "parents and children must make at most %d switches a level, got %zu "
                              "at level %zu",
                              SWITCHES_MAX, switches(tree, level), level + 1);
    return status;
}

static egc_status write_platform(const void *object, double speed_flops, egc_buf *xml,
                                 egc_error *err)
{
    const fat_tree *tree = object;
    const egc_cluster_common *common = &tree->common;
    char down[LEVELS_MAX * 8] = "", up[LEVELS_MAX * 8] = "", links[LEVELS_MAX * 2] = "";
    char topology[sizeof down + sizeof up + sizeof links + 8];
    size_t n_down = 0, n_up = 0, n_links = 0;
    for (size_t level = 0; level < (size_t)tree->levels; level++) {
        const char *comma = level ? "," : "";
        n_down += (size_t)snprintf(down + n_down, sizeof down - n_down, "%s%zu", comma,
                                   children(tree, level));
        n_up += (size_t)snprintf(up + n_up, sizeof up - n_up, "%s%zu", comma, parents(tree, level));
        n_links += (size_t)snprintf(links + n_links, sizeof links - n_links, "%s1", comma);
    }
    snprintf(topology, sizeof topology, "%lld;%s;%s;%s", (long long)tree->levels, down, up, links);
    egc_writer w = egc_writer_begin(common, speed_flops, xml, err);
    egc_writer_group(&w, &(egc_host_group){.n = hosts(tree),
                                           .bandwidth_Bps = common->bandwidth_Bps,
                                           .latency_s = common->latency_s,
                                           .topology = "FAT_TREE",
                                           .topo_parameters = topology});
    return egc_writer_end(&w);
}

/* A message goes up to the top and down again. Hosts share the links of levels that have fewer
 * parents than children. */
static void find_paths(const void *object, egc_cluster_paths *paths)
{
    const fat_tree *tree = object;
    double thinnest = 1, left = 1;
    for (size_t level = 1; level < (size_t)tree->levels; level++) {
        left *= (double)parents(tree, level) / (double)children(tree, level - 1);
        thinnest = fmin(thinnest, left);
    }
    paths->latency_s *= 2 * (double)tree->levels;
    paths->contended_Bps *= thinnest;
}

const egc_cluster_type egc_cluster_fat_tree = {
    .name = "fat_tree",
    .summary = "a tree of switches, full or over-subscribed",
    .reference = "Leiserson, Fat-trees: universal networks for hardware-efficient supercomputing, "
                 "1985; Zahavi, D-mod-K routing providing non-blocking traffic for shift "
                 "permutations on real life fat trees, 2010",
    .params = params,
    .params_size = sizeof(fat_tree),
    .check = check,
    .hosts = hosts,
    .write_platform = write_platform,
    .paths = find_paths,
    .layout = "dot",
};
