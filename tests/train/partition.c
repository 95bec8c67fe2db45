/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buckets as DDP makes them, units of each granularity, and times from records or FLOPs. */
#include "support/test.h"

#include "train/config.h"
#include "train/core/partition.h"

/* Layers of 1, 2, 3, 4 floats: recorded times for the first two, FLOPs for the others. */
static egc_layer layers[] = {
    {.name = "l1", .count = 1, .forward_s = 1, .backward_s = 2},
    {.name = "l2", .count = 2, .forward_s = 1, .backward_s = 2},
    {.name = "l3",
     .count = 3,
     .forward_s = NAN,
     .backward_s = NAN,
     .forward_flops = 10,
     .backward_flops = 20},
    {.name = "l4",
     .count = 4,
     .forward_s = NAN,
     .backward_s = NAN,
     .forward_flops = 30,
     .backward_flops = 60},
};
static const egc_workload workload = {.layers = layers, .n_layers = 4, .n_params = 10};

static void assert_plan_of(const egc_partition_options *options, const char *want)
{
    egc_partition partition;
    egc_error err = {0};
    assert_ok(egc_partition_init(&partition, &workload, options, &err), err);
    assert_close(partition.forward_s, 1 + 1 + 1 + 3, 1e-15);
    char text[512] = "";
    for (size_t b = 0; b < partition.n_buckets; b++) {
        const egc_bucket *bucket_ = &partition.buckets[b];
        sprintf(text + strlen(text), "[%zu+%zu %gs", bucket_->first, bucket_->count,
                bucket_->backward_s);
        for (size_t u = bucket_->first_unit; u < bucket_->first_unit + bucket_->n_units; u++)
            sprintf(text + strlen(text), " %s:%zu+%zu", partition.units[u].name,
                    partition.units[u].first, partition.units[u].count);
        strcat(text, "]");
    }
    assert_string_equal(text, want);
    egc_partition_fini(&partition);
}

static void assert_plan(egc_granularity granularity, double bucket, double first, const char *want)
{
    const egc_partition_options options = {.granularity = granularity,
                                           .bucket_bytes = bucket,
                                           .first_bucket_bytes = first,
                                           .speed_flops = 10};
    assert_plan_of(&options, want);
}

static void assert_merged(double startup_s, double byte_s, const char *want)
{
    const egc_partition_options options = {.granularity = EGC_GRANULARITY_LAYER,
                                           .bucket_bytes = EGC_BUCKET_MERGE,
                                           .first_bucket_bytes = 1,
                                           .speed_flops = 10,
                                           .startup_s = startup_s,
                                           .byte_s = byte_s};
    assert_plan_of(&options, want);
}

static void assert_fused(double bytes, double cycle_s, const char *want)
{
    const egc_partition_options options = {.granularity = EGC_GRANULARITY_LAYER,
                                           .bucket_bytes = EGC_BUCKET_FUSION,
                                           .first_bucket_bytes = 1,
                                           .speed_flops = 10,
                                           .fusion_bytes = bytes,
                                           .cycle_s = cycle_s};
    assert_plan_of(&options, want);
}

static void partition__buckets_fill_in_reverse_order(void **state)
{
    (void)state;
    assert_plan(EGC_GRANULARITY_LAYER, 28, 16, "[6+4 6s l4:6+4][0+6 6s l1:0+1 l2:1+2 l3:3+3]");
    assert_plan(EGC_GRANULARITY_LAYER, 20, 20,
                "[6+4 6s l4:6+4][1+5 4s l2:1+2 l3:3+3][0+1 2s l1:0+1]");
    assert_plan(EGC_GRANULARITY_LAYER, 4, 4, /* a layer is never split */
                "[6+4 6s l4:6+4][3+3 2s l3:3+3][1+2 2s l2:1+2][0+1 2s l1:0+1]");
    assert_plan(EGC_GRANULARITY_LAYER, EGC_BUCKET_MODEL, 4,
                "[0+10 12s l1:0+1 l2:1+2 l3:3+3 l4:6+4]");
    assert_plan(EGC_GRANULARITY_LAYER, EGC_BUCKET_LAYER, 1e9,
                "[6+4 6s l4:6+4][3+3 2s l3:3+3][1+2 2s l2:1+2][0+1 2s l1:0+1]");
}

static void partition__units_follow_granularity(void **state)
{
    (void)state;
    assert_plan(EGC_GRANULARITY_BUCKET, 28, 16, "[6+4 6s l4:6+4][0+6 6s l1..l3:0+6]");
    assert_plan(EGC_GRANULARITY_MODEL, 4, 4, "[0+10 12s model:0+10]");
}

/* By hand. Backwards, l4 is ready at 6 s, l3 at 8, l2 at 10, l1 at 12; l4 has 16 bytes, l3 12, l2
 * 8, l1 4. Without a startup nothing is worth waiting for; a startup below the 2 s to the next
 * layer neither, on a fast network. With 0.2 s a byte and 0.1 s, l4 goes from 6 to 9.3; l3, ready
 * at 8, cannot begin before, l2 is ready at 10, which is no earlier than 9.4, so l3 goes from 9.3
 * to 11.8; l2 could go then, and l1 is ready at 12. When it takes 0.2 s to start, l1 is in time. */
static void partition__layers_merge_while_the_network_is_busy_or_startups_are_dear(void **state)
{
    (void)state;
    assert_merged(0, 0, "[6+4 6s l4:6+4][3+3 2s l3:3+3][1+2 2s l2:1+2][0+1 2s l1:0+1]");
    assert_merged(2, 0, "[6+4 6s l4:6+4][3+3 2s l3:3+3][1+2 2s l2:1+2][0+1 2s l1:0+1]");
    assert_merged(2.001, 0, "[0+10 12s l1:0+1 l2:1+2 l3:3+3 l4:6+4]");
    assert_merged(0.1, 0.2, "[6+4 6s l4:6+4][3+3 2s l3:3+3][1+2 2s l2:1+2][0+1 2s l1:0+1]");
    assert_merged(0.2, 0.2, "[6+4 6s l4:6+4][3+3 2s l3:3+3][0+3 4s l1:0+1 l2:1+2]");
    assert_merged(0, 1, "[6+4 6s l4:6+4][0+6 6s l1:0+1 l2:1+2 l3:3+3]");
}

/* Gradients are ready 6, 8, 10 and 12 s after the backward pass began. */
static void partition__what_is_ready_in_a_cycle_is_fused(void **state)
{
    (void)state;
    assert_fused(INFINITY, 1, "[6+4 6s l4:6+4][3+3 2s l3:3+3][1+2 2s l2:1+2][0+1 2s l1:0+1]");
    assert_fused(INFINITY, 4, "[3+7 8s l3:3+3 l4:6+4][0+3 4s l1:0+1 l2:1+2]");
    assert_fused(INFINITY, 10, "[1+9 10s l2:1+2 l3:3+3 l4:6+4][0+1 2s l1:0+1]");
    assert_fused(24, 100, "[6+4 6s l4:6+4][0+6 6s l1:0+1 l2:1+2 l3:3+3]");
    assert_fused(15, 100, "[6+4 6s l4:6+4][3+3 2s l3:3+3][0+3 4s l1:0+1 l2:1+2]"); /* none split */
    assert_true(egc_partition_cycle(3 * 0.1, 0.1) == 3 && egc_partition_cycle(0.31, 0.1) == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partition__buckets_fill_in_reverse_order),
        cmocka_unit_test(partition__units_follow_granularity),
        cmocka_unit_test(partition__layers_merge_while_the_network_is_busy_or_startups_are_dear),
        cmocka_unit_test(partition__what_is_ready_in_a_cycle_is_fused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
