/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SMPI as an oracle: the same collectives, written by others inside SimGrid, on the very platforms
 * that clusters write. SMPI_RUN and SMPI_ORACLE come from CMake. */
#include "validation.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "net/clusters.h"
#include "net/one_call.h"
#include "support/test.h"

#define LIMIT 1e-2

/* ---- networks -------------------------------------------------------------------------------- */

/* Messages share links on all but the star: the fat trees' leaves send out of 4 hosts through 4
 * and 2 links, nodes through one card. No host has more than `links` of bandwidth_Bps. */
static const struct {
    const char *name, *settings;
    int hosts, links;
    double bandwidth_Bps;
} networks[] = {
    {"star", "hosts=16 bandwidth=1.25e8 latency=50e-6", 16, 1, 1.25e8},
    {"star", "hosts=16 bandwidth=1.25e9 latency=25e-6", 16, 1, 1.25e9},
    {"fat_tree", "levels=2 children=4 bandwidth=1.25e9 latency=5e-6", 16, 1, 1.25e9},
    {"fat_tree", "levels=2 children=4 parents=2 bandwidth=1.25e9 latency=5e-6", 16, 1, 1.25e9},
    {"torus", "dims=4,4 bandwidth=1.25e9 latency=5e-6", 16, 4, 1.25e9},
    {"torus", "dims=3,2,2 bandwidth=1.25e9 latency=5e-6", 12, 4, 1.25e9},
    {"dragonfly", "groups=4 chassis=1 routers=4 nodes=1 bandwidth=1.25e9 latency=5e-6", 16, 1,
     1.25e9},
    {"racks", "racks=4 rack_hosts=4 oversubscription=2 bandwidth=1.25e9 latency=5e-6", 16, 1,
     1.25e9},
    {"hierarchical", "nodes=4 gpus=4 gpu_bandwidth=1e10 bandwidth=1.25e9 latency=25e-6", 16, 1,
     1e10},
};

enum { N_STARS = 2, N_NETWORKS = sizeof networks / sizeof *networks };

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
    "--cfg=network/model:CM02 --cfg=network/optim:Full --cfg=network/crosstraffic:no "             \
    "--cfg=network/TCP-gamma:0 "                                                                   \
    "--cfg=smpi/os:0:0:0:0:0 --cfg=smpi/or:0:0:0:0:0 --cfg=smpi/ois:0:0:0:0:0 "                    \
    "--cfg=smpi/wtime:0 --cfg=smpi/async-small-thresh:0 --cfg=smpi/send-is-detached-thresh:0 "     \
    "--cfg=smpi/simulate-computation:no --log=root.thres:warning"

/* ---- running it ------------------------------------------------------------------------------ */

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
static void write_inputs(const char *folder, const test_cluster *cluster)
{
    egc_error err = {0};
    egc_buf xml = {0}, hosts = {0};
    assert_ok(cluster->type->write_platform(cluster->params, 1e12, &xml, &err), err);
    for (size_t i = 0; i < cluster->hosts; i++)
        egc_text_put(&hosts, "host-%zu\n", i);
    assert_ok(egc_buf_check(&hosts, &err), err);
    write_file(folder, "platform.xml", &xml);
    write_file(folder, "hosts", &hosts);
    egc_buf_fini(&xml);
    egc_buf_fini(&hosts);
}

static double smpi_time_s(const pairing *pair, const test_cluster *cluster, int p, size_t bytes)
{
    char folder[] = "/tmp/egc-smpi-XXXXXX", command[2048], line[256] = "";
    assert_non_null(mkdtemp(folder));
    write_inputs(folder, cluster);
    snprintf(command, sizeof command,
             SMPI_RUN " -np %d -platform %s/platform.xml -hostfile %s/hosts " SMPI_OPTIONS
                      " --cfg=%s " SMPI_ORACLE " %s %zu; rm -r %s",
             p, folder, folder, pair->algorithm, pair->collective, bytes, folder);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    assert_non_null(fgets(line, sizeof line, output));
    assert_int_equal(pclose(output), 0);
    return strtod(line, NULL);
}

static double our_time_s(const one_call *call, const test_cluster *cluster, int p)
{
    net_trial trial = trial_of(p, 1, 1, one_call_main, call);
    trial.config.cluster = cluster->type;
    trial.params = cluster->params;
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    return got.sim_time_s;
}

static void compare(validation *v, const pairing *pair, int network, int p, size_t bytes)
{
    egc_error err = {0};
    test_cluster cluster;
    one_call call = {.bytes = bytes};
    assert_ok(make_cluster(networks[network].name, networks[network].settings, &cluster, &err),
              err);
    assert_ok(egc_exchange_find(pair->exchange, &call.type, &err), err);
    double least = egc_tuning_least_bytes(call.type->kind, p, (double)bytes);
    double ours_s = our_time_s(&call, &cluster, p);
    validation_case one = {
        .ladder = "SMPI",
        .quantity = "time (s)",
        .workers = p,
        .bytes = (double)bytes,
        .expected = smpi_time_s(pair, &cluster, p, bytes),
        .simulated = ours_s,
        .limit = LIMIT,
        .rate_share = least / (ours_s * networks[network].links * networks[network].bandwidth_Bps),
    };
    snprintf(one.source, sizeof one.source, "SMPI %.*s", (int)strcspn(pair->algorithm + 5, " "),
             pair->algorithm + 5);
    snprintf(one.subject, sizeof one.subject, "%s", pair->exchange);
    snprintf(one.network, sizeof one.network, "%s %s", networks[network].name,
             networks[network].settings);
    validation_add(v, &one);
    free_cluster(&cluster);
}

/* Lengths that every number of ranks divides, for SMPI's lr; blocks are a sixteenth. */
static size_t length_of(const pairing *pair, size_t bytes)
{
    return strncmp(pair->collective, "allgather", 9) == 0 ? bytes / 16 : bytes;
}

static void compare_on_stars(validation *v, const pairing *pair)
{
    const int ranks[] = {2, 3, 5, 7, 8, 16};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        int p = ranks[i];
        if (pair->powers_of_two && (p & (p - 1)) != 0)
            continue;
        compare(v, pair, 0, p, length_of(pair, 107520));
        compare(v, pair, 1, p, length_of(pair, 6720));
        compare(v, pair, 1, p, length_of(pair, 6881280));
    }
}

void validate_smpi(validation *v)
{
    for (size_t i = 0; i < sizeof pairings / sizeof *pairings; i++) {
        compare_on_stars(v, &pairings[i]);
        for (int network = N_STARS; network < N_NETWORKS; network++) {
            int p = networks[network].hosts;
            if (pairings[i].powers_of_two && (p & (p - 1)) != 0)
                continue;
            compare(v, &pairings[i], network, p, length_of(&pairings[i], 107520));
            compare(v, &pairings[i], network, p, length_of(&pairings[i], 6881280));
        }
    }
}
