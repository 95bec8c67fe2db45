/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every registered exchange takes what its closed form says. Lengths are such that chunks are
 * equal and our own framing of messages stays far below the limit. */
#include "validation.h"

#include "net/one_call.h"
#include "net/simulate.h"
#include "net/sparse_format.h"
#include "support/test.h"

#define LIMIT 1e-3

/* A link, and the length of a chunk, a piece or a block. */
static const struct {
    const char *name;
    double bandwidth_Bps, latency_s;
    size_t message_bytes;
} networks[] = {
    {"star 1 Gbit/s 50 us", 1.25e8, 50e-6, 65536},
    {"star 10 Gbit/s 25 us", 1.25e9, 25e-6, 8192},
    {"star 100 Gbit/s 5 us", 1.25e10, 5e-6, 65536},
    {"star 10 Gbit/s 0 us", 1.25e9, 0, 8192},
};

enum { N_NETWORKS = sizeof networks / sizeof *networks };

static double time_of(worker_main main, const void *call, int p, int network)
{
    net_trial trial =
        trial_of(p, networks[network].bandwidth_Bps, networks[network].latency_s, main, call);
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    return got.sim_time_s;
}

static void add(validation *v, const char *subject, int network, int p, double bytes,
                double expected, double simulated, double least_bytes)
{
    validation_case one = {
        .ladder = "closed form",
        .source = "the exchange's cost",
        .quantity = "time (s)",
        .workers = p,
        .bytes = bytes,
        .expected = expected,
        .simulated = simulated,
        .limit = LIMIT,
        .rate_share = least_bytes / (simulated * networks[network].bandwidth_Bps),
    };
    snprintf(one.subject, sizeof one.subject, "%s", subject);
    snprintf(one.network, sizeof one.network, "%s", networks[network].name);
    validation_add(v, &one);
}

static void compare_exchange(validation *v, const egc_exchange_type *type, int p, int network)
{
    bool cut = type->kind == EGC_COLLECTIVE_ALLREDUCE || type->kind == EGC_COLLECTIVE_ALLTOALL;
    one_call call = {type, networks[network].message_bytes * (cut ? (size_t)p : 1), 0};
    double n = (double)call.bytes;
    double expected = egc_tuning_closed_form(type, p, n, networks[network].latency_s,
                                             1 / networks[network].bandwidth_Bps, 0);
    add(v, type->name, network, p, n, expected, time_of(one_call_main, &call, p, network),
        egc_tuning_least_bytes(type->kind, p, n));
}

/* In groups of each size that divides the ranks; all are equally near on a star. */
static void compare_groups(validation *v, const egc_exchange_type *type)
{
    enum { P = 24, NETWORK = 1 };
    double alpha = networks[NETWORK].latency_s, beta = 1 / networks[NETWORK].bandwidth_Bps;
    for (int group = 1; group <= P; group++) {
        if (P % group != 0)
            continue;
        one_call call = {type, (size_t)P * 8192, group};
        egc_exchange_network network = {alpha, beta, 0, 0, group, alpha, beta};
        char subject[48];
        snprintf(subject, sizeof subject, "%s in groups of %d", type->name, group);
        add(v, subject, NETWORK, P, (double)call.bytes,
            type->closed_form(P, (double)call.bytes, &network),
            time_of(one_call_main, &call, P, NETWORK),
            egc_tuning_least_bytes(type->kind, P, (double)call.bytes));
    }
}

/* Of messages with the same elements, and with none in common. What some rank must at least
 * receive is not known in general; it is not less than one message. */
static void compare_sparse(validation *v, const egc_sparse_type *type, int p, int network)
{
    for (int disjoint = 0; disjoint < 2; disjoint++) {
        const sparse_timing call = {type, (size_t)p * 1024, disjoint};
        double n = (double)call.count * SPARSE_ENTRY_BYTES;
        char subject[48];
        snprintf(subject, sizeof subject, "%s %s", type->name, disjoint ? "disjoint" : "equal");
        double simulated = time_of(sparse_timing_main, &call, p, network);
        add(v, subject, network, p, n,
            type->closed_form(p, n, disjoint, networks[network].latency_s,
                              1 / networks[network].bandwidth_Bps),
            simulated, type->keeps ? NAN : n);
    }
}

void validate_closed_forms(validation *v)
{
    const int ranks[] = {2, 3, 4, 5, 7, 8, 16, 33}, sparse_ranks[] = {2, 3, 4, 5, 7, 8, 16};
    for (const egc_exchange_type *const *type = egc_exchange_types(); *type; type++) {
        for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
            for (int network = 0; network < N_NETWORKS; network++)
                compare_exchange(v, *type, ranks[i], network);
        if ((*type)->two_levels)
            compare_groups(v, *type);
    }
    for (const egc_sparse_type *const *type = egc_sparse_types(); *type; type++)
        for (size_t i = 0; i < sizeof sparse_ranks / sizeof *sparse_ranks; i++)
            for (int network = 0; network < 2; network++)
                compare_sparse(v, *type, sparse_ranks[i], network);
}
