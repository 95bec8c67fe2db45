/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All-gather of two levels, for ranks of which some are near each other: group G is the ranks
 * G g ... G g + g - 1, N = ceil(p / g) groups.
 *
 *     1. round a ring across the groups: the j-th members of all groups gather each other's blocks,
 *        column j; g rings of N ranks at once, one block a message
 *     2. round a ring in each group: columns travel, N blocks a message
 *
 * A block enters each group once. When g does not divide p, the last group has s < g members, of
 * which member j stands in for members j + s, j + 2s, ... too: it takes part in their columns, one
 * after the other, without a block to give. */
#include "exchange/blocks.h"
#include "exchange/groups.h"

/* The rank whose block is passed on; p or more: there is none. */
static int rank_of(const egc_groups *groups, int group, int column)
{
    return group * groups->group + column;
}

/* The rank that gathers the column in a group. */
static int keeper_of(const egc_groups *groups, int group, int column)
{
    return rank_of(groups, group, column % egc_groups_size(groups, group));
}

/* One step round the ring of a column: a block that does not exist is no message. */
static void pass_block(egc_call *call, const egc_groups *groups, int column, int step)
{
    int count = groups->count, own = groups->mine.index;
    int to = keeper_of(groups, (own + 1) % count, column);
    int from = keeper_of(groups, (own + count - 1) % count, column);
    int out = rank_of(groups, (own - step + count) % count, column);
    int in = rank_of(groups, (own - step - 1 + count) % count, column);
    const egc_buf *block = &call->blocks[out < call->p ? out : 0];
    if (out < call->p && in < call->p)
        egc_call_swap(call, to, block->data, block->len, from, &call->blocks[in]);
    else if (out < call->p)
        egc_call_send(call, to, block->data, block->len);
    else if (in < call->p)
        egc_call_receive(call, from, &call->blocks[in]);
}

/* The blocks of the columns that a member of the own group gathers. */
static egc_blocks_run columns_of(const egc_groups *groups, int member)
{
    return (egc_blocks_run){member, groups->group, groups->mine.size, groups->group, -1};
}

static void run(egc_call *call)
{
    egc_groups groups = egc_groups_of(call);
    int size = groups.mine.size, member = groups.mine.member, first = call->rank - member;
    int next = first + (member + 1) % size, previous = first + (member + size - 1) % size;
    for (int column = member; column < groups.group; column += size)
        for (int step = 0; step < groups.count - 1; step++)
            pass_block(call, &groups, column, step);
    for (int step = 0; step < size - 1; step++)
        egc_blocks_swap(call, next, columns_of(&groups, (member - step + size) % size), previous,
                        columns_of(&groups, (member - step - 1 + size) % size));
}

static double closed_form(int p, double n, const egc_exchange_network *network)
{
    int g = network->group, n_groups = p / g;
    return (n_groups - 1) * (network->alpha_s + n * egc_groups_contended_beta(network)) +
           (g - 1) * (network->local_alpha_s + n_groups * n * network->local_beta_s);
}

const egc_exchange_type egc_exchange_allgather_hierarchical = {
    .name = "allgather-hierarchical",
    .summary = "all-gather of two levels: rings across groups of near ranks, then in them",
    .cost = "N groups of g ranks (unless it is set, the largest divisor of p up to sqrt p): (N-1) "
            "(alpha + n beta) + (g-1) (alpha' + N n beta'), "
            "alpha' and beta' in a group",
    .reference = "Traff, Efficient allgather for regular SMP-clusters, 2006",
    .two_levels = true,
    .kind = EGC_COLLECTIVE_ALLGATHER,
    .run = run,
    .closed_form = closed_form,
};
