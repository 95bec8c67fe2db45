/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each topology against theory: what gets from one half of the hosts to the other, with traffic
 * both ways at once, and what is said of the cluster without running it. */
#include "validation.h"

#include "net/clusters.h"
#include "support/test.h"

enum { MESSAGES_MAX = 64, BYTES = 200000 };

/* Links of all: bytes take thousands of latencies. */
#define NETWORK "bandwidth=1e9 latency=1e-7 "
#define LINK_BPS 1e9
#define LINK_S 1e-7

/* What framing and the latencies of several messages in a row take. */
#define LIMIT 2e-3

typedef enum pattern {
    SHIFT,  /* host i to host i + n / 2, modulo n: both ways across the cut at once */
    MIRROR, /* along the first dimension of a torus, c to d - 1 - c */
    GROUPS, /* the hosts of each group of one half, in turn, to each group of the other; and back */
} pattern;

/* `dim` is of a MIRROR the dimension, of GROUPS the hosts in a group. */
static size_t make_messages(pattern how, int n, int dim, message *out)
{
    int half = how == GROUPS ? n / dim / 2 : 0;
    size_t used = 0;
    for (int a = 0; a < n; a++)
        switch (how) {
        case SHIFT:
            out[used++] = (message){a, (a + n / 2) % n};
            break;
        case MIRROR:
            out[used++] = (message){a, a - a % dim + dim - 1 - a % dim};
            break;
        case GROUPS:
            if (a < n / 2) {
                int b = (half + (a / dim + a % dim) % half) * dim + a % dim;
                out[used++] = (message){a, b};
                out[used++] = (message){b, a};
            }
            break;
        }
    return used;
}

/* `links` is how many links' bandwidth there is from half to half, each way. */
static const struct {
    const char *name, *settings;
    pattern how;
    int dim;
    double links;
    size_t diameter;
} cuts[] = {
    /* hosts / 2 */
    {"star", "hosts=2", SHIFT, 0, 1, 2},
    {"star", "hosts=8", SHIFT, 0, 4, 2},
    {"star", "hosts=17", SHIFT, 0, 8, 2},
    /* full: hosts / 2 */
    {"fat_tree", "levels=1 children=6", SHIFT, 0, 3, 2},
    {"fat_tree", "levels=2 children=4", SHIFT, 0, 8, 4},
    {"fat_tree", "levels=2 children=8,4 parents=8", SHIFT, 0, 16, 4},
    {"fat_tree", "levels=3 children=4", SHIFT, 0, 32, 6},
    /* over-subscribed: hosts / 2 * the product of parents / children below the top */
    {"fat_tree", "levels=2 children=4 parents=2", SHIFT, 0, 4, 4},
    {"fat_tree", "levels=2 children=8,4 parents=1", SHIFT, 0, 2, 4},
    {"fat_tree", "levels=3 children=4,2,4 parents=2,1", SHIFT, 0, 4, 6},
    /* 2 * hosts / longest dimension; half of that when it is 2 */
    {"torus", "dims=4,4", MIRROR, 4, 8, 4},
    {"torus", "dims=8", MIRROR, 8, 2, 4},
    {"torus", "dims=8,2,2", MIRROR, 8, 8, 6},
    {"torus", "dims=4,4,4", MIRROR, 4, 32, 6},
    {"torus", "dims=2,2,2", MIRROR, 2, 4, 3},
    /* (groups / 2)^2 * blue */
    {"dragonfly", "groups=4 green=4 black=4", GROUPS, 8, 4, 7},
    {"dragonfly", "groups=2 chassis=1 routers=2 nodes=8 blue=2 green=8", GROUPS, 16, 2, 5},
    /* racks / 2 * rack_hosts / oversubscription */
    {"racks", "racks=4 rack_hosts=4 oversubscription=4", SHIFT, 0, 2, 4},
    {"racks", "racks=2 rack_hosts=8 oversubscription=2", SHIFT, 0, 4, 4},
    {"racks", "racks=6 rack_hosts=4 oversubscription=1", SHIFT, 0, 12, 4},
    /* nodes / 2 */
    {"hierarchical", "nodes=2 gpus=8 gpu_latency=1e-7", SHIFT, 0, 1, 4},
    {"hierarchical", "nodes=6 gpus=4 gpu_latency=1e-7", SHIFT, 0, 3, 4},
    /* hosts / 2 * the lesser of up and down */
    {"wan", "hosts=8 up=2.5e8", SHIFT, 0, 1, 2},
    {"wan", "hosts=6 up=4e9", SHIFT, 0, 3, 2},
};

static void add(validation *v, size_t i, const char *quantity, size_t hosts, double expected,
                double simulated, double limit)
{
    validation_case one = {
        .ladder = "topology",
        .source = "theory",
        .quantity = quantity,
        .workers = (int)hosts,
        .bytes = BYTES,
        .expected = expected,
        .simulated = simulated,
        .limit = limit,
        .rate_share = NAN,
    };
    snprintf(one.subject, sizeof one.subject, "%s", cuts[i].name);
    snprintf(one.network, sizeof one.network, "%s %s", cuts[i].name, cuts[i].settings);
    validation_add(v, &one);
}

static void compare(validation *v, size_t i)
{
    static message messages[MESSAGES_MAX];
    test_cluster cluster;
    char settings[256];
    egc_error err = {0};
    egc_topology_graph network;
    snprintf(settings, sizeof settings, NETWORK "%s", cuts[i].settings);
    assert_ok(make_cluster(cuts[i].name, settings, &cluster, &err), err);
    assert_ok(egc_topology_graph_of(cluster.type, cluster.params, &cluster.arena, &network, &err),
              err);
    assert_false(network.sampled);
    int n = (int)cluster.hosts;
    size_t n_messages = make_messages(cuts[i].how, n - n % 2, cuts[i].dim, messages);
    double time_s = time_of_messages(&cluster, messages, n_messages, BYTES);
    double across = (double)n_messages / 2 * BYTES, theory_Bps = cuts[i].links * LINK_BPS;
    double got_Bps = across / (time_s - (double)cuts[i].diameter * LINK_S / 2);
    add(v, i, "bisection both ways at once (B/s)", cluster.hosts, theory_Bps, got_Bps, LIMIT);
    v->cases[v->n - 1].rate_share = across / (time_s * theory_Bps);
    add(v, i, "bisection as described (B/s)", cluster.hosts, theory_Bps, network.bisection_Bps,
        1e-12);
    add(v, i, "diameter as described (links)", cluster.hosts, (double)cuts[i].diameter,
        (double)network.diameter_links, 1e-12);
    add(v, i, "hosts as described", cluster.hosts, n, (double)network.n_hosts, 1e-12);
    free_cluster(&cluster);
}

void validate_topologies(validation *v)
{
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        compare(v, i);
}
