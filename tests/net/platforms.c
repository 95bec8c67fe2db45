/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Platforms from SimGrid's XML: what becomes of their hosts, and that whatever SimGrid aborts on or
 * gets wrong comes back as one line. */
#include "support/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clusters.h"

#define XML(body)                                                                                  \
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"      \
    "<platform version=\"4.1\">\n" body "\n</platform>\n"

/* Three hosts of unequal speed, the tenth before the second by name alone; two links, one of them
 * shared by both ways. */
#define HOSTS                                                                                      \
    "<host id='n1' speed='2Gf'/><host id='n10' speed='1Gf'/><host id='n2' speed='4Gf'/>\n"         \
    "<link id='a' bandwidth='1GBps' latency='1us'/>"                                               \
    "<link id='b' bandwidth='2GBps' latency='3us' sharing_policy='SPLITDUPLEX'/>\n"
#define THREE                                                                                      \
    XML("<zone id='z' routing='Full'>" HOSTS "<route src='n1' dst='n2'><link_ctn id='a'/></route>" \
        "<route src='n1' dst='n10'><link_ctn id='a'/><link_ctn id='b' direction='UP'/></route>"    \
        "<route src='n2' dst='n10'><link_ctn id='b' direction='UP'/></route></zone>")

/* Two hosts on a link, one of them of this speed. */
#define TWO(speed, bandwidth, latency)                                                             \
    XML("<zone id='z' routing='Full'><host id='a' speed='" speed "'/><host id='b' speed='1Gf'/>"   \
        "<link id='l' bandwidth='" bandwidth "' latency='" latency "'/>"                           \
        "<route src='a' dst='b'><link_ctn id='l'/></route></zone>")

/* Two hosts on a link, one of them with speeds and a property. */
#define POWERED(speeds, property, value)                                                           \
    XML("<zone id='z' routing='Full'><host id='a' speed='" speeds "'>"                             \
        "<prop id='" property "' value='" value "'/></host><host id='b' speed='1Gf,2Gf'/>"         \
        "<link id='l' bandwidth='1GBps' latency='1us'/>"                                           \
        "<route src='a' dst='b'><link_ctn id='l'/></route></zone>")
#define WATTS(speeds)                                                                              \
    ": host a: wattage_per_state must be IDLE:EPSILON:ALLCORES in watts, 0 <= IDLE <= EPSILON <= " \
    "ALLCORES, of each of its speeds, " #speeds ", with commas between, "

static char path[] = "/tmp/egc-platform-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static egc_status load(const char *xml, const char *settings, test_cluster *out, egc_error *err)
{
    char all[512];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(xml, file);
    fclose(file);
    snprintf(all, sizeof all, "file=%s %s", path, settings);
    return make_cluster("platform", all, out, err);
}

/* ---- hosts --------------------------------------------------------------------------------- */

static void assert_hosts(const char *settings, const char *expected)
{
    test_cluster cluster;
    egc_error err = {0};
    char got[256] = "", room[EGC_HOST_NAME];
    assert_ok(load(THREE, settings, &cluster, &err), err);
    for (size_t i = 0; i < cluster.hosts; i++) {
        strcat(got, i ? " " : "");
        strcat(got, egc_cluster_host_name(cluster.type, cluster.params, i, room));
    }
    assert_string_equal(got, expected);
    free_cluster(&cluster);
}

static void platforms__hosts_are_chosen_in_order(void **state)
{
    (void)state;
    assert_hosts("", "n1 n2 n10");
    assert_hosts("hosts=n10,n*", "n10 n1 n2");
    assert_hosts("hosts=n[1-9]", "n1 n2");
    assert_hosts("hosts=n1?", "n10");
}

static egc_status compute_by_rank(worker *self, egc_error *err)
{
    double *seconds = *(double *const *)self->arg;
    (void)err;
    egc_actor_compute(self->world, self->rank, 1.0);
    seconds[self->rank] = egc_transport_now(self->transport);
    return EGC_OK;
}

static void assert_times(const char *settings, double first_s, double second_s, double third_s)
{
    test_cluster cluster;
    egc_error err = {0};
    double *got = shared_memory(3 * sizeof *got);
    assert_ok(load(THREE, settings, &cluster, &err), err);
    net_trial trial = trial_of(3, 1, 1, compute_by_rank, &got);
    trial.config.cluster = cluster.type;
    trial.params = cluster.params;
    trial.config.device.flops = 2e9;
    outcome result = simulate(&trial);
    assert_ok(result.status, result.err);
    assert_close(got[0], first_s, 1e-9);
    assert_close(got[1], second_s, 1e-9);
    assert_close(got[2], third_s, 1e-9);
    free_cluster(&cluster);
}

/* n1, n2 and n10 have 2, 4 and 1 Gf; a second of the device is 2 Gf. */
static void platforms__speeds_are_the_files(void **state)
{
    (void)state;
    assert_times("", 1, 0.5, 2);
    assert_times("speeds=absolute", 1, 0.5, 2);
    assert_times("hosts=n2,n1,n10", 1, 2, 4);
    assert_times("hosts=n2,n1,n10 speeds=absolute", 0.5, 1, 2);
    assert_times("speed=8e9 speeds=absolute", 4, 2, 8);
}

static void platforms__routes_are_the_files(void **state)
{
    (void)state;
    test_cluster cluster;
    egc_topology_graph network;
    egc_error err = {0};
    assert_ok(load(THREE, "", &cluster, &err), err);
    const message two_ways[] = {{0, 1}, {1, 0}}, far = {0, 2};
    assert_close(time_of_messages(&cluster, two_ways, 2, 1000000), 2e-3 + 1e-6, 1e-3);
    assert_close(time_of_messages(&cluster, &far, 1, 1000000), 1e-3 + 4e-6, 1e-3);
    assert_ok(egc_topology_graph_of(cluster.type, cluster.params, &cluster.arena, &network, &err),
              err);
    assert_int_equal(network.diameter_links, 2);
    assert_close(network.diameter_s, 4e-6, 1e-12);
    /* n1 has only `a` to reach the others by */
    assert_close(network.bisection_Bps, 1e9, 1e-12);
    free_cluster(&cluster);
}

static egc_status compute_and_ask(worker *self, egc_error *err)
{
    (void)err;
    egc_actor_compute(self->world, 0, 1.0);
    *(*(egc_energy *const *)self->arg) = egc_energy_used(self->world);
    return EGC_OK;
}

/* Host a draws what the file says, b what the device does, each at the first of its speeds. */
static void assert_host_energy(const char *xml, const char *hosts, double joules)
{
    test_cluster cluster;
    egc_error err = {0};
    egc_energy *got = shared_memory(sizeof *got);
    assert_ok(load(xml, hosts, &cluster, &err), err);
    net_trial trial = trial_of(1, 1, 1, compute_and_ask, &got);
    trial.config.cluster = cluster.type;
    trial.params = cluster.params;
    trial.config.energy = true;
    trial.config.device.idle_W = 40;
    trial.config.device.busy_W = 300;
    outcome result = simulate(&trial);
    assert_ok(result.status, result.err);
    assert_close(got->host_J, joules, 1e-9);
    free_cluster(&cluster);
}

static void platforms__power_is_the_files_or_the_devices(void **state)
{
    (void)state;
    assert_host_energy(POWERED("1Gf,2Gf", "wattage_per_state", "10:20:30, 1:2:3"), "hosts=a", 30);
    assert_host_energy(POWERED("1Gf", "wattage_per_state", "10:25"), "hosts=a", 25);
    assert_host_energy(POWERED("1Gf", "wattage_off", "5"), "hosts=b", 300);
}

/* A cluster with a backbone: hosts on a link that all share. */
static void platforms__a_backbone_is_a_shared_link(void **state)
{
    (void)state;
    test_cluster cluster;
    egc_topology_graph network;
    egc_error err = {0};
    assert_ok(load(XML("<cluster id='c' prefix='h' suffix='' radical='0-7' speed='1Gf' bw='1GBps' "
                       "lat='1us' bb_bw='3GBps' bb_lat='2us' loopback_bw='1GBps' "
                       "loopback_lat='1us'/>"),
                   "", &cluster, &err),
              err);
    assert_ok(egc_topology_graph_of(cluster.type, cluster.params, &cluster.arena, &network, &err),
              err);
    assert_int_equal(network.n_nodes, 9);
    assert_int_equal(network.nodes[8].kind, EGC_NODE_SHARED);
    assert_int_equal(network.n_edges, 16);
    for (size_t i = 0; i < network.n_edges; i++)
        assert_true(network.edges[i].duplex && !network.edges[i].joint);
    assert_close(network.bisection_Bps, 3e9, 1e-12);
    assert_close(network.diameter_s, 4e-6, 1e-12);
    free_cluster(&cluster);
}

/* ---- what is refused ----------------------------------------------------------------------- */

/* `message` follows the path and ": ", or ":" where SimGrid names a line; "..." ends what counts.
 */
static const struct {
    const char *xml, *settings, *message;
} refused[] = {
    {"", "", ":1: Invalid XML..."},
    {"<platform", "", ":1: Invalid XML..."},
    {XML("<zone id='z' routing='Star'/>"), "", "..."},
    {XML("<zone id='z' routing='Full'><host id='a' speed='fast'/></zone>"), "", ":4: ..."},
    {XML("<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='a' speed='1Gf'/></zone>"),
     "", "..."},
    {XML("<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/></zone>"),
     "", ": there is no route from host a to b"},
    {XML("<zone id='z' routing='Full'/>"), "", ": a platform must have hosts, got none"},
    {XML("<cluster id='c' prefix='h' suffix='' radical='0-7' speed='1Gf' bw='1GBps' lat='1us' "
         "topology='TORUS' topo_parameters='4,2'/>"),
     "",
     ": there is no route from host h0 to itself; give its <cluster> loopback_bw and loopback_lat"},
    {XML("<cluster id='c' prefix='h' suffix='' radical='0-19' speed='1Gf' bw='1GBps' lat='1us' "
         "topology='TORUS' topo_parameters='3,4' loopback_bw='1GBps' loopback_lat='1us'/>"),
     "", ": cluster c: radical must name as many hosts as topo_parameters make, got 20 and 12"},
    {XML("<cluster id='c' prefix='h' suffix='' radical='0-7,9' speed='1Gf' bw='1GBps' lat='1us' "
         "topology='FAT_TREE' topo_parameters='2;4,2;1,1;1,1'/>"),
     "", ": cluster c: radical must name as many hosts as topo_parameters make, got 9 and 8"},
    {XML("<cluster id='c' prefix='h' suffix='' radical='0-23' speed='1Gf' bw='1GBps' lat='1us' "
         "topology='DRAGONFLY' topo_parameters='3,1;2,1;4,1;1'/>"),
     "",
     ": cluster c: SimGrid routes a dragonfly rightly only with one chassis a group and no more "
     "groups than routers in it, got 2 chassis, 3 groups and 4 routers; egc.cluster.dragonfly has "
     "no such limit"},
    {XML("<!-- <cluster id='old' sharing_policy='FATPIPE'/> -->"
         "<cluster id='c' prefix='h' suffix='' radical='0-3' speed='1Gf' bw='1GBps' lat='1us' "
         "sharing_policy = \"FATPIPE\"/>"),
     "",
     ": cluster c: sharing_policy must be SPLITDUPLEX or SHARED, got FATPIPE, which SimGrid takes "
     "for SHARED"},
    {XML("<zone id='z' routing='Full'>" HOSTS
         "<link id='w' bandwidth='1GBps' sharing_policy='WIFI'/></zone>"),
     "", ": link w: sharing_policy must not be WIFI, which works in C++ only"},
    {XML("<zone id='z' routing='Full'>" HOSTS "<link id='c' bandwidth='1GBps' latency='0s'/>"
         "<route src='n1' dst='n2'><link_ctn id='a'/></route>"
         "<route src='n1' dst='n10'><link_ctn id='b' direction='UP'/></route>"
         "<route src='n2' dst='n10'><link_ctn id='c'/></route></zone>"),
     "",
     ": the route from host n2 to n10 has no latency, others have: SimGrid would starve its "
     "messages; give its links a latency"},
    {XML(""), "", ": a platform must have a <zone> or a <cluster>"},
    {TWO("0f", "1GBps", "1us"), "", ": speed of host a must be in [1, 1e+24] flop/s, got 0"},
    {TWO("-1f", "1GBps", "1us"), "", ": speed of host a must be in [1, 1e+24] flop/s, got -1"},
    {TWO("inf", "1GBps", "1us"), "", ": speed of host a must be in [1, 1e+24] flop/s, got inf"},
    {TWO("nanf", "1GBps", "1us"), "", ": speed of host a must be in [1, 1e+24] flop/s, got nan"},
    {TWO("1Gf", "0Bps", "1us"), "", ": bandwidth of link l must be in [1, 1e+18] B/s, got 0"},
    {TWO("1Gf", "-5Bps", "1us"), "", ": bandwidth of link l must be in [1, 1e+18] B/s, got -5"},
    {TWO("1Gf", "inf", "1us"), "", ": bandwidth of link l must be in [1, 1e+18] B/s, got inf"},
    {TWO("1Gf", "nanBps", "1us"), "", ": bandwidth of link l must be in [1, 1e+18] B/s, got nan"},
    {TWO("1Gf", "1GBps", "-1s"), "", ": latency of link l must be in [0, 1e+09] s, got -1"},
    {TWO("1Gf", "1GBps", "nans"), "", ": latency of link l must be in [0, 1e+09] s, got nan"},
    {TWO("1Gf", "1GBps", "1e300s"), "", ": latency of link l must be in [0, 1e+09] s, got 1e+300"},
    {XML("<cluster id='c' prefix='h' suffix='' radical='0-1' speed='1Gf' bw='1GBps' lat='1us' "
         "loopback_bw='1GBps' loopback_lat='-1s'/>"),
     "", ": latency of link c_link_0_loopback must be in [0, 1e+09] s, got -1"},
    {POWERED("1Gf", "wattage_per_state", "garbage"), "", WATTS(1) "got \"garbage\""},
    {POWERED("1Gf", "wattage_per_state", ""), "hosts=b", WATTS(1) "got \"\""},
    {POWERED("1Gf", "wattage_per_state", "10:20:30,1:2:3"), "", WATTS(1) "got \"10:20:30,1:2:3\""},
    {POWERED("1Gf,2Gf", "wattage_per_state", "10:20:30"), "", WATTS(2) "got \"10:20:30\""},
    {POWERED("1Gf", "wattage_per_state", "nan:nan:nan"), "", WATTS(1) "got \"nan:nan:nan\""},
    {POWERED("1Gf", "wattage_per_state", "1:2:inf"), "", WATTS(1) "got \"1:2:inf\""},
    {POWERED("1Gf", "wattage_per_state", "-5:-3:-1"), "", WATTS(1) "got \"-5:-3:-1\""},
    {POWERED("1Gf", "wattage_per_state", "30:20:10"), "", WATTS(1) "got \"30:20:10\""},
    {POWERED("1Gf", "wattage_per_state", "10"), "", WATTS(1) "got \"10\""},
    {POWERED("1Gf", "wattage_per_state", "1:2:3:4"), "", WATTS(1) "got \"1:2:3:4\""},
    {POWERED("1Gf", "wattage_per_state", "1:2:3W"), "", WATTS(1) "got \"1:2:3W\""},
    {POWERED("1Gf", "wattage_off", "-1"), "",
     ": host a: wattage_off must be watts >= 0, got \"-1\""},
    {POWERED("1Gf", "wattage_off", "no"), "",
     ": host a: wattage_off must be watts >= 0, got \"no\""},
    {THREE, "hosts=gpu*", ": hosts: no host is called \"gpu*\"; there are: n1, n10, n2"},
    {THREE, "hosts=,", ": hosts: must name at least one host, got \",\""},
};

static void platforms__refuses_what_simgrid_would_not_stand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        test_cluster cluster;
        egc_error err = {0};
        char want[EGC_ERROR_LENGTH];
        assert_int_not_equal(load(refused[i].xml, refused[i].settings, &cluster, &err), EGC_OK);
        snprintf(want, sizeof want, "%s%s", path, refused[i].message);
        size_t dots = strlen(want) - 3;
        bool same = strcmp(want + dots, "...") == 0 ? strncmp(want, err.message, dots) == 0
                                                    : strcmp(want, err.message) == 0;
        if (!same || strchr(err.message, '\n'))
            fail_msg("%s\n  got  %s\n  want %s", refused[i].xml, err.message, want);
        free_cluster(&cluster);
    }
}

static void platforms__a_missing_file_is_said(void **state)
{
    (void)state;
    test_cluster cluster;
    egc_error err;
    assert_fails(make_cluster("platform", "file=/nowhere/x.xml", &cluster, &err), err, EGC_ERROR_IO,
                 "/nowhere/x.xml: cannot open: No such file or directory");
    free_cluster(&cluster);
}

/* Reading one would wait for ever. */
static void platforms__a_pipe_is_no_platform(void **state)
{
    (void)state;
    test_cluster cluster;
    egc_error err;
    char pipe[64], settings[80], want[EGC_ERROR_LENGTH];
    snprintf(pipe, sizeof pipe, "%s-pipe", path);
    snprintf(settings, sizeof settings, "file=%s", pipe);
    snprintf(want, sizeof want, "%s: must be a regular file", pipe);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    alarm(10);
    assert_fails(make_cluster("platform", settings, &cluster, &err), err, EGC_ERROR_FORMAT, want);
    alarm(0);
    unlink(pipe);
    free_cluster(&cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(platforms__hosts_are_chosen_in_order),
        cmocka_unit_test(platforms__speeds_are_the_files),
        cmocka_unit_test(platforms__routes_are_the_files),
        cmocka_unit_test(platforms__power_is_the_files_or_the_devices),
        cmocka_unit_test(platforms__a_backbone_is_a_shared_link),
        cmocka_unit_test(platforms__refuses_what_simgrid_would_not_stand),
        cmocka_unit_test(platforms__a_missing_file_is_said),
        cmocka_unit_test(platforms__a_pipe_is_no_platform),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
