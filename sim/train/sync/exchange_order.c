/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/sync/exchange_order.h"

#include <string.h>

#include "base/mem.h"

egc_status egc_turns_init(egc_turns *turns, const int *members, size_t n_workers, size_t n_buckets,
                          bool by_priority, egc_error *err)
{
    *turns = (egc_turns){
        .members = members,
        .n_members = n_workers,
        .n_workers = n_workers,
        .n_buckets = n_buckets,
        .by_priority = by_priority,
        .n_ready = egc_calloc(n_buckets, sizeof *turns->n_ready),
        .turn = egc_calloc(n_workers, sizeof *turns->turn),
    };
    bool made = turns->n_ready && turns->turn;
    for (size_t w = 0; w < n_workers && made; w++)
        made = (turns->turn[w] = egc_gate_new(0)) != NULL;
    return made ? EGC_OK : egc_fail_memory(err, n_workers * sizeof *turns->turn);
}

void egc_turns_fini(egc_turns *turns)
{
    for (size_t w = 0; turns->turn && w < turns->n_workers; w++)
        egc_gate_free(turns->turn[w]);
    egc_free(turns->turn);
    egc_free(turns->n_ready);
}

void egc_turns_halt(egc_turns *turns)
{
    turns->n_idle = 0;
}

egc_status egc_turns_regroup(egc_turns *turns, const int *members, size_t n, egc_error *err)
{
    for (size_t i = 0; i < n; i++) {
        egc_gate **turn = &turns->turn[members[i]];
        egc_gate_free(*turn);
        *turn = egc_gate_new(0);
        if (!*turn)
            return egc_fail_memory(err, 1);
    }
    turns->members = members;
    turns->n_members = n;
    turns->n_idle = 0;
    memset(turns->n_ready, 0, turns->n_buckets * sizeof *turns->n_ready);
    return EGC_OK;
}

/* The bucket to go first of those that all members have ready, n_buckets when there is none.
 * Buckets are numbered as their gradients become ready, which is last layers first. */
static size_t choose(const egc_turns *turns)
{
    size_t n = turns->n_buckets;
    for (size_t i = 0; i < n; i++) {
        size_t bucket = turns->by_priority ? n - 1 - i : i;
        if (turns->n_ready[bucket] == turns->n_members)
            return bucket;
    }
    return n;
}

/* All is settled before the first signal: whoever it wakes may run at once. */
static void give_turn(egc_turns *turns)
{
    size_t bucket = turns->n_idle == turns->n_members ? choose(turns) : turns->n_buckets;
    if (bucket == turns->n_buckets)
        return;
    turns->bucket = bucket;
    turns->n_ready[bucket] = 0;
    turns->n_idle = 0;
    for (size_t i = 0; i < turns->n_members; i++)
        egc_gate_signal(turns->turn[turns->members[i]]);
}

void egc_turns_ready(egc_turns *turns, size_t bucket)
{
    if (++turns->n_ready[bucket] == turns->n_members)
        give_turn(turns);
}

size_t egc_turns_take(egc_turns *turns, size_t worker)
{
    turns->n_idle++;
    give_turn(turns);
    egc_gate_wait(turns->turn[worker]);
    return turns->bucket;
}
