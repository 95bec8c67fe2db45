/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PyTorch's own measurement of DDP (pytorch/benchmarks/distributed/ddp/README.md, version 1.4):
 * ResNet-50, batch 32, two machines of 8 V100 with NVLink and 4 x 100 Gbit/s InfiniBand; seconds a
 * step, median. A GPU takes 0.097 s without DDP and 0.100 s with it, before any exchange.
 *
 * Nothing is fitted, and nothing is judged: what DDP costs a GPU by itself is not modelled, and the
 * bandwidths are nominal. NVLink's is what one GPU's six links carry. */
#include "validation.h"

#include "step.h"
#include "support/test.h"

enum { WORKERS = 16, BATCH = 32 };

static const struct {
    const char *name;
    double alone_s;
} devices[] = {{"DDP from a GPU without it", 0.097}, {"DDP from a GPU with it", 0.100}};

#define PUBLISHED_S 0.104
#define CARDS_BPS 5e10

static double ddp_step_s(const egc_workload *model, double alone_s)
{
    egc_error err = {0};
    test_cluster nodes;
    const egc_exchange_type *ring;
    step s = {.overlap = true};
    const egc_partition_options options = {.bucket_bytes = 25 * 0x1p20,
                                           .first_bucket_bytes = 0x1p20,
                                           .speed_flops = step_speed_flops(model, alone_s)};
    assert_ok(egc_exchange_find("ring", &ring, &err), err);
    assert_ok(egc_partition_init(&s.plan, model, &options, &err), err);
    assert_ok(
        make_cluster("hierarchical", "nodes=2 gpus=8 bandwidth=5e10 latency=5e-6", &nodes, &err),
        err);
    for (size_t b = 0; b < s.plan.n_buckets; b++)
        s.exchange[b] = ring;
    double time_s = step_time(&s, WORKERS, CARDS_BPS, 5e-6, &nodes);
    free_cluster(&nodes);
    egc_partition_fini(&s.plan);
    return time_s;
}

void validate_ddp(validation *v)
{
    egc_workload model;
    step_open_model(&model, BATCH);
    double bytes = 4 * (double)model.n_params;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        double step_s = ddp_step_s(&model, devices[i].alone_s);
        validation_case one = {
            .ladder = "published",
            .source = "PyTorch DDP benchmark",
            .quantity = "step (s)",
            .workers = WORKERS,
            .bytes = bytes,
            .expected = PUBLISHED_S,
            .simulated = step_s,
            .limit = NAN,
            .note = "shown",
            .rate_share = egc_tuning_least_bytes(EGC_COLLECTIVE_ALLREDUCE, WORKERS, bytes) /
                          (step_s * CARDS_BPS),
        };
        snprintf(one.subject, sizeof one.subject, "%s", devices[i].name);
        snprintf(one.network, sizeof one.network, "4 x 100 Gbit/s InfiniBand");
        validation_add(v, &one);
    }
    step_close_model(&model);
}
