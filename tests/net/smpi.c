/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SMPI as an oracle: the same collectives, written by others inside SimGrid, on the platform that
 * write_platform makes, take the same time to 1 %. SMPI_RUN and SMPI_ORACLE come from CMake. */
#include "support/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "one_call.h"
#include "simulate.h"

/* ---- networks -------------------------------------------------------------------------------- */

/* A <cluster> with a topology of SimGrid's own, for as many hosts as its parameters say. */
static egc_status write_cluster(const char *topology, const char *topo_parameters, int hosts,
                                double speed_flops, egc_buf *xml, egc_error *err)
{
    return egc_buf_printf(
        xml, err,
        "<?xml version=\"1.0\"?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n"
        "  <cluster id=\"net\" prefix=\"host-\" radical=\"0-%d\" suffix=\"\" speed=\"%gf\"\n"
        "           bw=\"1.25e9Bps\" lat=\"5e-6s\" topology=\"%s\" topo_parameters=\"%s\"\n"
        "           loopback_bw=\"1e10Bps\" loopback_lat=\"1e-7s\"/>\n"
        "</platform>\n",
        hosts - 1, speed_flops, topology, topo_parameters);
}

enum { CLUSTER_HOSTS = 16 };

static size_t cluster_hosts(const void *params)
{
    (void)params;
    return CLUSTER_HOSTS;
}

/* Four leaves of four hosts under two cores: what leaves a leaf is twice what its links carry. */
static egc_status write_fat_tree(const void *params, double speed_flops, egc_buf *xml,
                                 egc_error *err)
{
    (void)params;
    return write_cluster("FAT_TREE", "2;4,4;1,2;1,1", CLUSTER_HOSTS, speed_flops, xml, err);
}

static egc_status write_torus(const void *params, double speed_flops, egc_buf *xml, egc_error *err)
{
    (void)params;
    return write_cluster("TORUS", "4,4", CLUSTER_HOSTS, speed_flops, xml, err);
}

static const egc_cluster_type clusters[] = {
    {.name = "fat tree", .hosts = cluster_hosts, .write_platform = write_fat_tree},
    {.name = "torus", .hosts = cluster_hosts, .write_platform = write_torus},
};

/* ---- collectives ----------------------------------------------------------------------------- */

/* SMPI's algorithms of two levels are not among them: its groups are the ranks on one host, where
 * each of our ranks has its own. */
typedef struct pairing {
    const char *exchange;   /* ours */
    const char *collective; /* MPI's */
    const char *algorithm;  /* what SMPI calls the same algorithm */
    bool powers_of_two;     /* SMPI's differs for other numbers of ranks */
} pairing;

static const pairing pairings[] = {
    {"ring", "allreduce", "smpi/allreduce:lr", false},
    {"rabenseifner", "allreduce", "smpi/allreduce:rab_rdb", false},
    {"recursive-doubling", "allreduce", "smpi/allreduce:rdb", false},
    {"binomial-tree", "allreduce",
     "smpi/allreduce:redbcast --cfg=smpi/reduce:binomial --cfg=smpi/bcast:binomial_tree", false},
    {"allgather-ring", "allgatherv", "smpi/allgatherv:mpich_ring", false},
    {"allgather-rd", "allgather", "smpi/allgather:rdb", true},
    {"allgather-bruck", "allgather", "smpi/allgather:bruck", false},
    {"broadcast-tree", "bcast", "smpi/bcast:binomial_tree", false},
    {"alltoall", "alltoall", "smpi/alltoall:ring", false},
};

/* Only the network counts: CM02 as our worlds configure it, no overhead of MPI calls, no computing,
 * no messages sent before they are expected. */
#define SMPI_OPTIONS                                                                               \
    "--cfg=network/model:CM02 --cfg=network/crosstraffic:no --cfg=network/TCP-gamma:0 "            \
    "--cfg=smpi/os:0:0:0:0:0 --cfg=smpi/or:0:0:0:0:0 --cfg=smpi/ois:0:0:0:0:0 "                    \
    "--cfg=smpi/wtime:0 --cfg=smpi/async-small-thresh:0 --cfg=smpi/send-is-detached-thresh:0 "     \
    "--cfg=smpi/simulate-computation:no --log=root.thres:warning"

static void write_file(const char *folder, const char *name, const egc_buf *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->data, 1, text->len, file), text->len);
    assert_int_equal(fclose(file), 0);
}

/* The platform and the list of hosts, in `folder`. */
static void write_inputs(const char *folder, const net_trial *trial)
{
    egc_error err = {0};
    egc_buf xml = {0}, hosts = {0};
    const egc_cluster_type *type = trial->config.cluster;
    const void *params = type ? trial : star_params(&type, trial, &err);
    assert_non_null(params);
    assert_ok(type->write_platform(params, 1e12, &xml, &err), err);
    for (int i = 0; i < trial->hosts; i++)
        assert_ok(egc_buf_printf(&hosts, &err, "host-%d\n", i), err);
    write_file(folder, "platform.xml", &xml);
    write_file(folder, "hosts", &hosts);
    egc_buf_fini(&xml);
    egc_buf_fini(&hosts);
}

static double smpi_time_s(const pairing *pair, const net_trial *trial, size_t bytes)
{
    char folder[] = "/tmp/egc-smpi-XXXXXX", command[2048], line[256] = "";
    assert_non_null(mkdtemp(folder));
    write_inputs(folder, trial);
    snprintf(command, sizeof command,
             SMPI_RUN " -np %d -platform %s/platform.xml -hostfile %s/hosts " SMPI_OPTIONS
                      " --cfg=%s " SMPI_ORACLE " %s %zu; rm -r %s",
             trial->hosts, folder, folder, pair->algorithm, pair->collective, bytes, folder);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    assert_non_null(fgets(line, sizeof line, output));
    assert_int_equal(pclose(output), 0);
    return strtod(line, NULL);
}

static double error_of(const pairing *pair, net_trial *trial, size_t bytes)
{
    egc_error err;
    one_call call = {.bytes = bytes};
    assert_ok(egc_exchange_find(pair->exchange, &call.type, &err), err);
    trial->arg = &call;
    outcome ours = simulate(trial);
    assert_ok(ours.status, ours.err);
    double smpi_s = smpi_time_s(pair, trial, bytes);
    double error = fabs(ours.sim_time_s / smpi_s - 1);
    if (!(error <= 0.01))
        fail_msg("%s, %d ranks on a %s, %zu bytes: %g s, SMPI %g s", pair->exchange, trial->hosts,
                 trial->config.cluster ? trial->config.cluster->name : "star", bytes,
                 ours.sim_time_s, smpi_s);
    return error;
}

/* Lengths that every number of ranks divides, for SMPI's lr; blocks are a sixteenth. */
static size_t length_of(const pairing *pair, size_t bytes)
{
    return strncmp(pair->collective, "allgather", 9) == 0 ? bytes / 16 : bytes;
}

static double worst_error(const pairing *pair, int p)
{
    const size_t bytes[] = {6720, 107520, 6881280};
    net_trial slow = trial_of(p, 1.25e8, 50e-6, one_call_main, NULL);
    double worst = error_of(pair, &slow, length_of(pair, bytes[1]));
    net_trial fast = trial_of(p, 1.25e9, 25e-6, one_call_main, NULL);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        worst = fmax(worst, error_of(pair, &fast, length_of(pair, bytes[i])));
    return worst;
}

static void test_smpi_takes_as_long(void **state)
{
    (void)state;
    const int ranks[] = {2, 3, 4, 5, 7, 8, 16};
    for (size_t i = 0; i < sizeof pairings / sizeof *pairings; i++) {
        double worst = 0;
        for (size_t j = 0; j < sizeof ranks / sizeof *ranks; j++)
            if (!pairings[i].powers_of_two || (ranks[j] & (ranks[j] - 1)) == 0)
                worst = fmax(worst, worst_error(&pairings[i], ranks[j]));
        print_message("%-18s worst difference from SMPI's %.*s: %.2g %%\n", pairings[i].exchange,
                      (int)strcspn(pairings[i].algorithm, " "), pairings[i].algorithm, 100 * worst);
    }
}

/* Where messages share links and meet in queues, too. */
static void test_smpi_takes_as_long_where_links_are_shared(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof clusters / sizeof *clusters; c++)
        for (size_t i = 0; i < sizeof pairings / sizeof *pairings; i++) {
            net_trial trial = trial_of(CLUSTER_HOSTS, 1.25e9, 5e-6, one_call_main, NULL);
            trial.config.cluster = &clusters[c];
            double worst = error_of(&pairings[i], &trial, length_of(&pairings[i], 107520));
            worst = fmax(worst, error_of(&pairings[i], &trial, length_of(&pairings[i], 6881280)));
            print_message("%-18s worst difference from SMPI's %.*s, %s: %.2g %%\n",
                          pairings[i].exchange, (int)strcspn(pairings[i].algorithm, " "),
                          pairings[i].algorithm, clusters[c].name, 100 * worst);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smpi_takes_as_long),
        cmocka_unit_test(test_smpi_takes_as_long_where_links_are_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
