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

typedef struct gathering {
    egc_transport *transport;
    egc_buf *blocks;
    egc_exchange_scratch *scratch;
    egc_groups groups;
} gathering;

/* The rank whose block it is: p or more when there is none. */
static int rank_of(const gathering *g, int group, int column)
{
    return group * g->groups.group + column;
}

/* The rank that gathers the column in a group. */
static int keeper_of(const gathering *g, int group, int column)
{
    return rank_of(g, group, column % egc_groups_size(&g->groups, group));
}

/* One step round the ring of a column: a block that does not exist is no message. */
static egc_status pass_block(gathering *g, int column, int out_group, int in_group, egc_error *err)
{
    int count = g->groups.count, own = g->groups.mine.index, p = g->transport->size;
    int to = keeper_of(g, (own + 1) % count, column);
    int from = keeper_of(g, (own + count - 1) % count, column);
    int out = rank_of(g, out_group, column), in = rank_of(g, in_group, column);
    const egc_buf *block = &g->blocks[out < p ? out : 0];
    if (out < p && in < p)
        return egc_transport_sendrecv(g->transport, to, block->data, block->len, from,
                                      &g->blocks[in], err);
    if (out < p)
        return egc_transport_send(g->transport, to, block->data, block->len, err);
    return in < p ? egc_transport_receive(g->transport, from, &g->blocks[in], err) : EGC_OK;
}

static egc_status gather_across(gathering *g, int column, egc_error *err)
{
    int count = g->groups.count, own = g->groups.mine.index;
    egc_status status = EGC_OK;
    for (int step = 0; step < count - 1 && !status; step++)
        status = pass_block(g, column, (own - step + count) % count,
                            (own - step - 1 + count) % count, err);
    return status;
}

/* Puts the columns that a member keeps into scratch->out. */
static egc_status pack(gathering *g, int member, egc_error *err)
{
    egc_status status = EGC_OK;
    egc_buf_clear(&g->scratch->out);
    for (int column = member; column < g->groups.group; column += g->groups.mine.size)
        for (int r = column; r < g->transport->size && !status; r += g->groups.group)
            status = egc_blocks_append(g->transport, &g->scratch->out, &g->blocks[r], err);
    return status ? egc_error_prefix(err, "allgather-hierarchical") : EGC_OK;
}

/* Takes them out of scratch->in. */
static egc_status unpack(gathering *g, int member, egc_error *err)
{
    egc_reader reader = egc_blocks_of(g->transport, &g->scratch->in);
    egc_status status = EGC_OK;
    for (int column = member; column < g->groups.group; column += g->groups.mine.size)
        for (int r = column; r < g->transport->size && !status; r += g->groups.group)
            status = egc_blocks_read(g->transport, &reader, &g->blocks[r], err);
    if (!status)
        status = egc_blocks_end(g->transport, &reader, err);
    return status ? egc_error_prefix(err, "allgather-hierarchical") : EGC_OK;
}

static egc_status gather_inside(gathering *g, egc_error *err)
{
    int size = g->groups.mine.size, member = g->groups.mine.member;
    int first = g->transport->rank - member;
    int next = first + (member + 1) % size, previous = first + (member + size - 1) % size;
    egc_status status = EGC_OK;
    for (int step = 0; step < size - 1 && !status; step++) {
        status = pack(g, (member - step + size) % size, err);
        if (!status)
            status = egc_transport_sendrecv(g->transport, next, g->scratch->out.data,
                                            g->scratch->out.len, previous, &g->scratch->in, err);
        if (!status)
            status = unpack(g, (member - step - 1 + size) % size, err);
    }
    return status;
}

static egc_status gather(egc_transport *transport, const void *mine, size_t bytes, egc_buf *blocks,
                         egc_exchange_scratch *scratch, egc_error *err)
{
    gathering g = {transport, blocks, scratch, egc_groups_of(transport, scratch->group)};
    egc_status status = egc_blocks_begin(transport, mine, bytes, blocks, err);
    for (int column = g.groups.mine.member; column < g.groups.group && !status;
         column += g.groups.mine.size)
        status = gather_across(&g, column, err);
    return status ? status : gather_inside(&g, err);
}

static double grouped_form(int p, double n, const egc_exchange_network *network)
{
    int g = network->group, n_groups = p / g;
    return (n_groups - 1) * (network->alpha_s + n * egc_groups_contended_beta(network)) +
           (g - 1) * (network->local_alpha_s + n_groups * n * network->local_beta_s);
}

static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    egc_exchange_network flat = egc_groups_flat_network(p, alpha, beta, gamma);
    return grouped_form(p, n, &flat);
}

const egc_exchange_type egc_exchange_allgather_hierarchical = {
    .name = "allgather-hierarchical",
    .summary = "all-gather of two levels: rings across groups of near ranks, then in them",
    .cost = "N groups of g ranks (unless it is set, the largest divisor of p up to sqrt p): (N-1) "
            "(alpha + n beta) + (g-1) (alpha' + N n beta'), "
            "alpha' and beta' in a group",
    .reference = "Traff, Efficient allgather for regular SMP-clusters, 2006",
    .kind = EGC_COLLECTIVE_ALLGATHER,
    .gather = gather,
    .closed_form = closed_form,
    .grouped_form = grouped_form,
};
