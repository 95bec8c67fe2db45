/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SMPI as an oracle: the same collectives, written by others inside SimGrid, on the platform that
 * write_platform makes, take the same time to 1 %. SMPI_RUN and SMPI_ORACLE come from CMake. */
#include "support/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "one_call.h"
#include "simulate.h"

typedef struct pairing {
    const char *exchange;   /* ours */
    const char *collective; /* MPI's */
    const char *algorithm;  /* what SMPI calls the same algorithm */
    bool powers_of_two;     /* SMPI's differs for other numbers of ranks */
} pairing;

static const pairing pairings[] = {
    {"ring", "allreduce", "smpi/allreduce:lr", false},
    {"allgather-ring", "allgatherv", "smpi/allgatherv:ring", false},
    {"allgather-rd", "allgather", "smpi/allgather:rdb", true},
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
    const egc_cluster_type *type;
    const void *params = star_params(&type, trial, &err);
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

static double error_of(const pairing *pair, int p, size_t bytes, double bandwidth_Bps,
                       double latency_s)
{
    egc_error err;
    one_call call = {.bytes = bytes};
    assert_ok(egc_exchange_find(pair->exchange, &call.type, &err), err);
    net_trial trial = trial_of(p, bandwidth_Bps, latency_s, one_call_main, &call);
    outcome ours = simulate(&trial);
    assert_ok(ours.status, ours.err);
    double smpi_s = smpi_time_s(pair, &trial, bytes);
    double error = fabs(ours.sim_time_s / smpi_s - 1);
    if (!(error <= 0.01))
        fail_msg("%s, %d ranks, %zu bytes: %g s, SMPI %g s", pair->exchange, p, bytes,
                 ours.sim_time_s, smpi_s);
    return error;
}

/* Lengths that every number of ranks divides, for SMPI's lr; blocks are a sixteenth. */
static double worst_error(const pairing *pair, int p)
{
    const size_t bytes[] = {6720, 107520, 6881280};
    size_t share = strncmp(pair->collective, "allgather", 9) == 0 ? 16 : 1;
    double worst = error_of(pair, p, bytes[1] / share, 1.25e8, 50e-6);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        worst = fmax(worst, error_of(pair, p, bytes[i] / share, 1.25e9, 25e-6));
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
        print_message("%-16s worst difference from SMPI's %s: %.2g %%\n", pairings[i].exchange,
                      pairings[i].algorithm, 100 * worst);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smpi_takes_as_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
