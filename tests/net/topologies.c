/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every topology against theory, in closed form: the latency between any two hosts, the bandwidth
 * from one half of the hosts to the other with traffic both ways at once, what flows that meet at a
 * link take, and what is said of the cluster without running it. And what makes no cluster. */
#include "support/test.h"

#include "base/mem.h"
#include "clusters.h"
#include "validation/validation.h"

/* Links of all measured clusters: bytes take thousands of latencies. */
#define NETWORK "bandwidth=1e9 latency=1e-7 "
#define LINK_BPS 1e9
#define LINK_S 1e-7
#define BYTES 200000

static test_cluster cluster_of(const char *name, const char *settings)
{
    test_cluster cluster;
    char all[256];
    egc_error err = {0};
    snprintf(all, sizeof all, NETWORK "%s", settings);
    assert_ok(make_cluster(name, all, &cluster, &err), err);
    return cluster;
}

/* ---- latency ------------------------------------------------------------------------------- */

typedef double (*latency_law)(int from, int to);

static int abs_difference(int a, int b)
{
    return a < b ? b - a : a - b;
}

static double star_law(int from, int to)
{
    (void)from, (void)to;
    return LINK_S; /* of a star it is from host to host */
}

/* Up to the lowest level at which both are below one switch, and down. */
static double fat_tree_law(int from, int to)
{
    int links = 2;
    for (from /= 3, to /= 3; from != to; from /= 2, to /= 2)
        links += 2;
    return links * LINK_S;
}

static int ring_distance(int a, int b, int n)
{
    int one_way = abs_difference(a, b);
    return one_way < n - one_way ? one_way : n - one_way;
}

static double torus_law(int from, int to)
{
    return LINK_S *
           (ring_distance(from % 5, to % 5, 5) + ring_distance(from / 5 % 2, to / 5 % 2, 2) +
            ring_distance(from / 10, to / 10, 3));
}

static double racks_law(int from, int to)
{
    return from / 3 == to / 3 ? LINK_S : LINK_S + 3e-7;
}

static double hierarchical_law(int from, int to)
{
    return from / 4 == to / 4 ? 5e-8 : 5e-8 + LINK_S;
}

/* Host 0 is the server. */
static double wan_law(int from, int to)
{
    return LINK_S * ((from != 0) + (to != 0));
}

/* A dragonfly of 5 groups of 2 chassis of 3 routers of 2 hosts. */
enum { FLY_CHASSIS = 3, FLY_GROUP = 6 };

/* Between two routers of one group, numbered in it. */
static int local_distance(int a, int b)
{
    return (a / FLY_CHASSIS != b / FLY_CHASSIS) + (a % FLY_CHASSIS != b % FLY_CHASSIS);
}

static int holder(int group, int other)
{
    return (other < group ? other : other - 1) % FLY_GROUP;
}

/* To the router that holds the link, over it, and on. */
static double dragonfly_law(int from, int to)
{
    int a = from / 2, b = to / 2, group = a / FLY_GROUP, other = b / FLY_GROUP;
    int local = a % FLY_GROUP, far = b % FLY_GROUP;
    if (group == other)
        return LINK_S * (2 + local_distance(local, far));
    return LINK_S * (3 + local_distance(local, holder(group, other)) +
                     local_distance(holder(other, group), far));
}

static const struct {
    const char *name, *settings;
    size_t hosts;
    latency_law law;
} laws[] = {
    {"star", "hosts=5", 5, star_law},
    {"fat_tree", "levels=3 children=3,2,2 parents=2,1", 12, fat_tree_law},
    {"torus", "dims=5,2,3", 30, torus_law},
    {"torus", "dims=1,5,1,2,3", 30, torus_law},
    {"dragonfly", "groups=5 chassis=2 routers=3 nodes=2", 60, dragonfly_law},
    {"racks", "racks=4 rack_hosts=3 core_latency=3e-7", 12, racks_law},
    {"hierarchical", "nodes=3 gpus=4 gpu_latency=5e-8", 12, hierarchical_law},
    {"wan", "hosts=4 server=1e10", 5, wan_law},
};

static void topologies__latencies_follow_the_topology(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        test_cluster cluster = cluster_of(laws[i].name, laws[i].settings);
        int n = (int)cluster.hosts;
        assert_int_equal(n, laws[i].hosts);
        double *got = measure_latencies(&cluster);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                if (a != b && fabs(got[a * n + b] - laws[i].law(a, b)) > 1e-10)
                    fail_msg("%s: from %d to %d: %g s, want %g s", laws[i].name, a, b,
                             got[a * n + b], laws[i].law(a, b));
        egc_free(got);
        free_cluster(&cluster);
    }
}

/* ---- bisection ----------------------------------------------------------------------------- */

static void topologies__bisection_is_that_of_theory(void **state)
{
    (void)state;
    validation v = {0};
    validate_topologies(&v);
    for (size_t i = 0; i < v.n; i++)
        if (!validation_within(&v.cases[i]))
            fail_msg("%s, %s: %g, want %g", v.cases[i].network, v.cases[i].quantity,
                     v.cases[i].simulated, v.cases[i].expected);
    validation_fini(&v);
}

/* ---- graphs -------------------------------------------------------------------------------- */

/* Small ones too: a switch where only two links meet is one. */
static const struct {
    const char *name, *settings;
    size_t switches, links;
} shapes[] = {
    {"star", "hosts=2", 1, 2},
    {"fat_tree", "levels=2 children=4", 8, 32},
    {"fat_tree", "levels=3 children=2", 12, 24},
    {"fat_tree", "levels=3 children=4,2 parents=1", 7, 22},
    {"torus", "dims=4,2", 0, 12},
    {"torus", "dims=1,4,1,1,2", 0, 12},
    {"torus", "dims=3,3,3", 0, 81},
    {"dragonfly", "groups=4 chassis=2 routers=2 nodes=2", 16, 54},
    {"racks", "racks=2 rack_hosts=1", 3, 4},
    {"hierarchical", "nodes=2 gpus=2", 3, 6},
    {"wan", "hosts=2", 1, 2},
};

static void topologies__graphs_are_those_of_the_topology(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        test_cluster cluster = cluster_of(shapes[i].name, shapes[i].settings);
        egc_topology_graph network;
        egc_error err = {0};
        size_t switches = 0, links = 0;
        assert_ok(
            egc_topology_graph_of(cluster.type, cluster.params, &cluster.arena, &network, &err),
            err);
        for (size_t k = 0; k < network.n_nodes; k++)
            switches += network.nodes[k].kind == EGC_NODE_SWITCH;
        for (size_t k = 0; k < network.n_edges; k++) {
            assert_true(network.edges[k].duplex);
            links += !network.edges[k].back;
        }
        if (switches != shapes[i].switches || links != shapes[i].links)
            fail_msg("%s %s: %zu switches and %zu links, want %zu and %zu", shapes[i].name,
                     shapes[i].settings, switches, links, shapes[i].switches, shapes[i].links);
        free_cluster(&cluster);
    }
}

/* ---- links that flows meet at -------------------------------------------------------------- */

/* `shares` flows meet at a link of `Bps`. */
static const struct {
    const char *name, *settings;
    message messages[4];
    size_t n;
    double shares, Bps;
} meetings[] = {
    {"star", "hosts=5", {{0, 4}, {1, 4}, {2, 4}, {3, 4}}, 4, 4, 1e9},
    {"star", "hosts=5", {{0, 1}, {0, 2}, {0, 3}}, 3, 3, 1e9},
    {"star", "hosts=5 efficiency=0.5", {{0, 1}, {2, 3}, {1, 0}}, 3, 1, 5e8},
    /* one way up from the leaf, and one way down to it */
    {"fat_tree", "children=4 parents=1", {{0, 4}, {1, 8}, {2, 12}}, 3, 3, 1e9},
    {"fat_tree", "children=4 parents=1", {{0, 4}, {8, 5}, {4, 0}, {5, 8}}, 4, 2, 1e9},
    /* 0 -> 1 -> 2 and 1 -> 2; then the same, and back */
    {"torus", "dims=8", {{0, 2}, {1, 2}}, 2, 2, 1e9},
    {"torus", "dims=8", {{0, 1}, {1, 0}, {0, 7}}, 3, 1, 1e9},
    /* both hosts of a router to another group, through one blue link; and one with two cables */
    {"dragonfly", "groups=4", {{0, 8}, {1, 9}}, 2, 2, 1e9},
    {"dragonfly", "groups=4 blue=2 green=2 black=2", {{0, 8}, {1, 9}}, 2, 1, 1e9},
    {"racks", "racks=2 rack_hosts=4", {{0, 4}, {1, 5}, {2, 6}}, 3, 3, 1e9},
    {"racks", "racks=2 rack_hosts=4", {{0, 1}, {2, 3}, {4, 7}}, 3, 1, 1e9},
    {"hierarchical",
     "nodes=2 gpus=4 gpu_latency=1e-7",
     {{0, 4}, {1, 5}, {2, 6}, {3, 7}},
     4,
     4,
     1e9},
    {"hierarchical",
     "nodes=2 gpus=4 gpu_latency=1e-7 gpu_bandwidth=2e9",
     {{0, 1}, {2, 1}},
     2,
     2,
     2e9},
    {"wan", "hosts=4 server=2e9", {{1, 0}, {2, 0}, {3, 0}, {4, 0}}, 4, 2, 1e9},
    {"wan", "hosts=4 up=5e8", {{0, 1}, {0, 2}}, 2, 2, 5e8},
};

static void topologies__flows_share_the_links_they_meet_at(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof meetings / sizeof *meetings; i++) {
        test_cluster cluster = cluster_of(meetings[i].name, meetings[i].settings);
        double got = time_of_messages(&cluster, meetings[i].messages, meetings[i].n, BYTES);
        double want = meetings[i].shares * BYTES / meetings[i].Bps;
        if (!(got >= want && got <= want + 12 * LINK_S + 1e-3 * want))
            fail_msg("%s %s: %zu messages take %g s, want %g s", meetings[i].name,
                     meetings[i].settings, meetings[i].n, got, want);
        free_cluster(&cluster);
    }
}

/* ---- networks of their own ----------------------------------------------------------------- */

/* The time of one message down to each client, or up from it, tells its bandwidth. */
static void measure_clients(const char *settings, bool up, double *Bps, size_t n)
{
    test_cluster cluster = cluster_of("wan", settings);
    assert_int_equal(cluster.hosts, n + 1);
    for (size_t i = 0; i < n; i++) {
        int client = (int)i + 1;
        const message one = {up ? client : 0, up ? 0 : client};
        Bps[i] = BYTES / (time_of_messages(&cluster, &one, 1, BYTES) - LINK_S);
    }
    free_cluster(&cluster);
}

static void topologies__clients_are_drawn_from_the_seed(void **state)
{
    (void)state;
    double all[2][6], again[6], up[6];
    measure_clients("hosts=6 server=1e12 spread=0.5", false, all[0], 6);
    measure_clients("hosts=6 server=1e12 spread=0.5 seed=2", false, all[1], 6);
    measure_clients("hosts=6 server=1e12 spread=0.5", false, again, 6);
    measure_clients("hosts=6 server=1e12 spread=0.5", true, up, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_true(all[0][i] == again[i]);
        assert_true(fabs(all[0][i] / all[1][i] - 1) > 1e-3);
        assert_true(fabs(all[0][i] / up[i] - 1) > 1e-3);
        assert_true(all[0][i] > 1e9 * exp(-2.5) && all[0][i] < 1e9 * exp(2.5));
        for (size_t k = 0; k < i; k++)
            assert_true(fabs(all[0][i] / all[0][k] - 1) > 1e-3);
    }
    measure_clients("hosts=6 server=1e12 spread=0.5 distribution=uniform", false, again, 6);
    for (size_t i = 0; i < 6; i++)
        assert_true(again[i] >= 0.499e9 && again[i] <= 1.501e9 && again[i] != all[0][i]);
}

/* Every cluster says as many hosts as SimGrid then has; some sizes are large. */
static void topologies__hosts_are_as_many_as_said(void **state)
{
    (void)state;
    static const char *const sizes[][2] = {
        {"star", ""},
        {"fat_tree", ""},
        {"torus", ""},
        {"dragonfly", ""},
        {"racks", ""},
        {"hierarchical", ""},
        {"wan", ""},
        {"star", "hosts=1"},
        {"racks", "racks=1 rack_hosts=1"},
        {"torus", "dims=1"},
        {"torus", "dims=1,1"},
        {"dragonfly", "groups=1 chassis=1 routers=1 nodes=1"},
        {"wan", "hosts=1"},
        {"fat_tree", "levels=1 children=1"},
        {"fat_tree", "levels=3 children=12"},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        test_cluster cluster = cluster_of(sizes[i][0], sizes[i][1]);
        egc_probe survey;
        egc_error err = {0};
        assert_ok(egc_probe_cluster(cluster.type, cluster.params, &cluster.arena, &survey, &err),
                  err);
        assert_int_equal(survey.n_hosts, cluster.hosts);
        size_t routes = cluster.hosts * (cluster.hosts - 1);
        assert_true(survey.n_routes == routes || (routes > EGC_PROBE_ROUTES && survey.n_routes));
        free_cluster(&cluster);
    }
}

/* ---- what makes no cluster ----------------------------------------------------------------- */

static const struct {
    const char *name, *settings, *message;
} refused[] = {
    {"star", "bandwidth=1e-300 efficiency=1e-300",
     "bandwidth of the cluster * efficiency must be in [1, 1e+18] B/s, got 0"},
    {"star", "bandwidth=inf",
     "bandwidth of the cluster * efficiency must be in [1, 1e+18] B/s, got inf"},
    {"star", "speed=1e-300", "speed must be in [1, 1e+24] flop/s, got 1e-300"},
    {"star", "latency=inf", "latency of the cluster must be in [0, 1e+09] s, got inf"},
    {"fat_tree", "levels=2 children=4,4,4",
     "children must be at most 2 numbers for so many levels, got 3"},
    {"fat_tree", "levels=2 parents=2,2",
     "parents must be at most 1 numbers for so many levels, got 2"},
    {"fat_tree", "levels=1 parents=2",
     "parents must be at most 0 numbers for so many levels, got 1"},
    {"fat_tree", "levels=8 children=65536",
     "hosts must be in [1, 16384], got 18446744073709551615"},
    {"fat_tree", "levels=2 children=4 parents=20000",
     "parents and children must make at most 16384 switches a level, got 20000 at level 2"},
    {"torus", "dims=128,129", "hosts must be in [1, 16384], got 16512"},
    {"torus", "dims=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "dims must be at most 16 numbers, got 17"},
    {"dragonfly", "groups=1 chassis=2 routers=1023 nodes=1",
     "chassis * routers must be at most 1024, got 2046"},
    {"dragonfly", "bandwidth=1e17 blue=60000",
     "bandwidth of a link of several cables * efficiency must be in [1, 1e+18] B/s, got 6e+21"},
    {"racks", "racks=1023 rack_hosts=17", "hosts must be in [1, 16384], got 17391"},
    {"racks", "oversubscription=1e-300",
     "bandwidth of an uplink * efficiency must be in [1, 1e+18] B/s, got inf"},
    {"racks", "core_latency=inf", "latency of an uplink must be in [0, 1e+09] s, got inf"},
    {"racks", "latency=0 core_latency=1e-6",
     "latency must be > 0 when core_latency is, got 0 and 1e-06 s (SimGrid starves messages "
     "without latency beside others)"},
    {"hierarchical", "gpu_bandwidth=inf",
     "bandwidth of a GPU * efficiency must be in [1, 1e+18] B/s, got inf"},
    {"hierarchical", "gpu_latency=0 latency=1e-6",
     "gpu_latency must be > 0 when latency is, got 0 and 1e-06 s (SimGrid starves messages without "
     "latency beside others)"},
    {"wan", "spread=1 distribution=uniform", "spread must be in [0, 1) when uniform, got 1"},
    {"wan", "latency_spread=2 distribution=uniform",
     "latency_spread must be in [0, 1) when uniform, got 2"},
    {"wan", "up=inf", "bandwidth of host 0 * efficiency must be in [1, 1e+18] B/s, got inf"},
    {"wan", "hosts=16384 server=1e9", "hosts must be in [1, 16384], got 16385"},
    {"platform", "", "file: must be the path of a platform, got \"\""},
};

static void topologies__refuses_what_makes_no_cluster(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        test_cluster cluster;
        egc_error err = {0};
        egc_status status = make_cluster(refused[i].name, refused[i].settings, &cluster, &err);
        if (strcmp(err.message, refused[i].message) != 0)
            fail_msg("%s %s:\n  got  %s\n  want %s", refused[i].name, refused[i].settings,
                     err.message, refused[i].message);
        assert_int_equal(status, EGC_ERROR_RANGE);
        free_cluster(&cluster);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topologies__latencies_follow_the_topology),
        cmocka_unit_test(topologies__bisection_is_that_of_theory),
        cmocka_unit_test(topologies__graphs_are_those_of_the_topology),
        cmocka_unit_test(topologies__flows_share_the_links_they_meet_at),
        cmocka_unit_test(topologies__clients_are_drawn_from_the_seed),
        cmocka_unit_test(topologies__hosts_are_as_many_as_said),
        cmocka_unit_test(topologies__refuses_what_makes_no_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
