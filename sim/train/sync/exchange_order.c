/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last member to become idle or ready chooses for all, and signals each. */
#include "train/sync/exchange_order.h"

#include <string.h>

#include "base/mem.h"

egc_status egc_exchange_order_init(egc_exchange_order *order, const int *members, size_t n_workers,
                                   size_t n_buckets, bool by_priority, egc_error *err)
{
    *order = (egc_exchange_order){
        .members = members,
        .n_members = n_workers,
        .n_workers = n_workers,
        .n_buckets = n_buckets,
        .by_priority = by_priority,
        .n_ready = egc_calloc(n_buckets, sizeof *order->n_ready),
        .turn = egc_calloc(n_workers, sizeof *order->turn),
    };
    bool made = order->n_ready && order->turn;
    for (size_t w = 0; w < n_workers && made; w++)
        made = (order->turn[w] = egc_semaphore_new(0)) != NULL;
    return made ? EGC_OK : egc_fail_memory(err, n_workers * sizeof *order->turn);
}

void egc_exchange_order_fini(egc_exchange_order *order)
{
    for (size_t w = 0; order->turn && w < order->n_workers; w++)
        egc_semaphore_free(order->turn[w]);
    egc_free(order->turn);
    egc_free(order->n_ready);
}

void egc_exchange_order_halt(egc_exchange_order *order)
{
    order->n_idle = 0;
}

egc_status egc_exchange_order_regroup(egc_exchange_order *order, const int *members, size_t n,
                                      egc_error *err)
{
    for (size_t i = 0; i < n; i++) {
        egc_semaphore **turn = &order->turn[members[i]];
        egc_semaphore_free(*turn);
        *turn = egc_semaphore_new(0);
        if (!*turn)
            return egc_fail_memory(err, 1);
    }
    order->members = members;
    order->n_members = n;
    order->n_idle = 0;
    memset(order->n_ready, 0, order->n_buckets * sizeof *order->n_ready);
    return EGC_OK;
}

/* The first bucket, in the order wanted, that all members have ready; n_buckets if there is none.
 * Buckets are numbered as their gradients become ready: last layers first. */
static size_t choose(const egc_exchange_order *order)
{
    size_t n = order->n_buckets;
    for (size_t i = 0; i < n; i++) {
        size_t bucket = order->by_priority ? n - 1 - i : i;
        if (order->n_ready[bucket] == order->n_members)
            return bucket;
    }
    return n;
}

/* Sets all state before the first signal, because the actor it wakes may run at once. */
static void give_turn(egc_exchange_order *order)
{
    size_t bucket = order->n_idle == order->n_members ? choose(order) : order->n_buckets;
    if (bucket == order->n_buckets)
        return;
    order->bucket = bucket;
    order->n_ready[bucket] = 0;
    order->n_idle = 0;
    for (size_t i = 0; i < order->n_members; i++)
        egc_semaphore_signal(order->turn[order->members[i]]);
}

void egc_exchange_order_ready(egc_exchange_order *order, size_t bucket)
{
    if (++order->n_ready[bucket] == order->n_members)
        give_turn(order);
}

size_t egc_exchange_order_next(egc_exchange_order *order, size_t worker)
{
    order->n_idle++;
    give_turn(order);
    egc_semaphore_wait(order->turn[worker]);
    return order->bucket;
}
