/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On a hollow transport, whose messages have no content, every exchange takes the time and moves
 * the bytes that it does with content. */
#include "support/test.h"

#include "base/mem.h"
#include "clusters.h"
#include "simulate.h"

typedef struct call {
    const egc_exchange_type *type;
    size_t bytes;
} call;

static bool gives_blocks(const call *c)
{
    return c->type->kind == EGC_COLLECTIVE_ALLGATHER || c->type->kind == EGC_COLLECTIVE_ALLTOALL;
}

/* Blocks are unequal, and some empty. */
static size_t length_of(const call *c, int rank)
{
    return gives_blocks(c) ? c->bytes * (size_t)(rank % 3) + (size_t)rank : c->bytes;
}

static egc_status make(egc_buf *buf, size_t bytes, bool size_only, egc_error *err)
{
    egc_status status = size_only ? EGC_OK : egc_buf_reserve(buf, bytes, err);
    for (size_t i = 0; i < bytes && !size_only && !status; i++)
        buf->data[i] = 0;
    buf->len = bytes;
    return status;
}

/* The same for every rank. */
static egc_status scatter(worker *self, const egc_buf *mine, egc_buf *blocks,
                          egc_exchange_scratch *scratch, egc_error *err)
{
    const call *c = self->arg;
    size_t p = (size_t)self->transport->size;
    egc_buf *pieces = egc_calloc(p, sizeof *pieces);
    if (!pieces)
        return egc_fail_memory(err, p * sizeof *pieces);
    for (size_t r = 0; r < p; r++)
        pieces[r] = *mine;
    egc_status status =
        egc_exchange_alltoall(c->type, self->transport, pieces, blocks, scratch, err);
    egc_free(pieces);
    return status;
}

static egc_status exchange(worker *self, egc_buf *mine, egc_buf *blocks,
                           egc_exchange_scratch *scratch, egc_error *err)
{
    const call *c = self->arg;
    if (c->type->kind == EGC_COLLECTIVE_ALLREDUCE)
        return egc_exchange_allreduce(c->type, self->transport, EGC_ELEMENT_FP32, mine->data,
                                      mine->len / sizeof(float), scratch, err);
    if (c->type->kind == EGC_COLLECTIVE_BROADCAST)
        return egc_exchange_broadcast(c->type, self->transport, 0, mine, scratch, err);
    if (c->type->kind == EGC_COLLECTIVE_ALLTOALL)
        return scatter(self, mine, blocks, scratch, err);
    return egc_exchange_allgather(c->type, self->transport, mine->data, mine->len, blocks, scratch,
                                  err);
}

static egc_status run(worker *self, egc_error *err)
{
    const call *c = self->arg;
    size_t p = (size_t)self->transport->size;
    bool size_only = self->transport->size_only;
    egc_buf mine = {0}, *blocks = egc_calloc(p, sizeof *blocks);
    egc_exchange_scratch scratch = {.group = 2};
    egc_status status =
        blocks ? make(&mine, length_of(c, self->rank), size_only, err) : egc_fail_memory(err, p);
    for (size_t r = 0; r < p && size_only && !status; r++)
        blocks[r].len = length_of(c, (int)r);
    if (!status)
        status = exchange(self, &mine, blocks, &scratch, err);
    for (size_t r = 0; r < p && blocks && !status && gives_blocks(c); r++)
        if (blocks[r].len != length_of(c, (int)r))
            status = egc_fail(err, EGC_ERROR_FORMAT, "block %zu has %zu bytes", r, blocks[r].len);
    for (size_t r = 0; r < p && blocks; r++)
        egc_buf_fini(&blocks[r]);
    egc_free(blocks);
    egc_buf_fini(&mine);
    egc_exchange_scratch_fini(&scratch);
    return status;
}

static void compare(const egc_exchange_type *type, int p, size_t bytes)
{
    const call c = {type, bytes};
    net_trial trial = trial_of(p, 1e8, 1e-4, run, &c);
    outcome full = simulate(&trial);
    trial.config.size_only = true;
    outcome size_only = simulate(&trial);
    assert_ok(full.status, full.err);
    assert_ok(size_only.status, size_only.err);
    assert_true(p == 1 || full.sim_time_s > 0 || bytes == 0);
    assert_true(full.sim_time_s == size_only.sim_time_s);
    assert_true(full.network_bytes == size_only.network_bytes);
}

/* SimGrid's quick way of updating rates is right where no rank has two messages on the way, which
 * is so in every exchange. */
static void compare_updates(const egc_exchange_type *type, const test_cluster *cluster, int p)
{
    const call c = {type, 5000};
    net_trial trial = trial_of(p, 1e8, 1e-4, run, &c);
    trial.config.cluster = cluster->type;
    trial.params = cluster->params;
    trial.config.size_only = true;
    outcome full = simulate(&trial);
    trial.config.one_message_each = true;
    outcome lazy = simulate(&trial);
    assert_ok(full.status, full.err);
    assert_ok(lazy.status, lazy.err);
    assert_close(lazy.sim_time_s, full.sim_time_s, 1e-6);
}

static void size_only__quick_updates_take_the_time_of_full_ones(void **state)
{
    (void)state;
    static const char *const clusters[][2] = {
        {"star", "hosts=16"},
        {"fat_tree", "levels=2 children=4,4 parents=2"},
        {"torus", "dims=4,4"},
        {"hierarchical", "nodes=4 gpus=4"},
        {"racks", "racks=4 rack_hosts=4"},
        {"dragonfly", ""},
    };
    for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++) {
        test_cluster cluster;
        egc_error err;
        assert_ok(make_cluster(clusters[i][0], clusters[i][1], &cluster, &err), err);
        for (const egc_exchange_type *const *type = egc_exchange_types(); *type; type++)
            for (int p = 13; p <= 16; p += 3)
                compare_updates(*type, &cluster, p);
        free_cluster(&cluster);
    }
}

static void size_only__hollow_messages_take_the_time_of_full_ones(void **state)
{
    (void)state;
    static const int ranks[] = {1, 2, 3, 5, 8, 12};
    for (const egc_exchange_type *const *type = egc_exchange_types(); *type; type++)
        for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
            for (size_t bytes = 0; bytes <= 4000; bytes += 2000)
                compare(*type, ranks[i], bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_only__hollow_messages_take_the_time_of_full_ones),
        cmocka_unit_test(size_only__quick_updates_take_the_time_of_full_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
