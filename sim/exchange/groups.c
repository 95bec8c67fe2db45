/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exchange/groups.h"

/* ---- groups --------------------------------------------------------------------------------- */

int egc_exchange_group(int p, int given)
{
    if (given > 0)
        return given < p ? given : p;
    int group = 1;
    for (int divisor = 2; divisor <= p / divisor; divisor++)
        if (p % divisor == 0)
            group = divisor;
    return group;
}

int egc_group_size(const egc_groups *groups, int index)
{
    int left = groups->p - index * groups->group;
    return left < groups->group ? left : groups->group;
}

egc_groups egc_groups_of(const egc_transport *transport, int group)
{
    egc_groups groups = {.p = transport->size, .group = egc_exchange_group(transport->size, group)};
    groups.count = (groups.p + groups.group - 1) / groups.group;
    groups.mine.index = transport->rank / groups.group;
    groups.mine.member = transport->rank % groups.group;
    groups.mine.size = egc_group_size(&groups, groups.mine.index);
    return groups;
}

egc_subset egc_group_of(egc_transport *whole, const egc_groups *groups)
{
    int first = groups->mine.index * groups->group, size = groups->mine.size;
    return egc_subset_of(whole, first, 1, first + size - 1, size, groups->mine.member);
}

egc_exchange_network egc_flat_network(int p, double alpha, double beta, double gamma)
{
    return (egc_exchange_network){alpha, beta, beta, gamma, egc_exchange_group(p, 0), alpha, beta};
}

double egc_crowd_beta(const egc_exchange_network *network)
{
    return network->crowd_beta_s > 0 ? network->crowd_beta_s : network->beta_s;
}

/* ---- a transport of some ranks -------------------------------------------------------------- */

static const egc_subset *subset_at(const egc_transport *common)
{
    return (const egc_subset *)common;
}

static int rank_of(const egc_transport *common, int member)
{
    const egc_subset *subset = subset_at(common);
    return member == common->size - 1 ? subset->last : subset->first + member * subset->stride;
}

static egc_status start_send(egc_transport *common, int to, const void *data, size_t bytes,
                             egc_request **out, egc_error *err)
{
    return egc_isend(subset_at(common)->whole, rank_of(common, to), data, bytes, out, err);
}

static egc_status start_receive(egc_transport *common, int from, egc_buf *into, egc_request **out,
                                egc_error *err)
{
    return egc_irecv(subset_at(common)->whole, rank_of(common, from), into, out, err);
}

static egc_status finish(egc_transport *common, egc_request *request, egc_error *err)
{
    return egc_wait(subset_at(common)->whole, request, err);
}

static void reduce(egc_transport *common, egc_element element, void *sum, const void *addend,
                   size_t n)
{
    egc_reduce(subset_at(common)->whole, element, sum, addend, n);
}

static double now(const egc_transport *common)
{
    return egc_now(subset_at(common)->whole);
}

static bool beside(const egc_transport *common, int peer)
{
    const egc_transport *whole = subset_at(common)->whole;
    return whole->ops->beside(whole, rank_of(common, peer));
}

static const egc_transport_ops ops = {
    .isend = start_send,
    .irecv = start_receive,
    .wait = finish,
    .reduce = reduce,
    .now = now,
    .beside = beside,
};

egc_subset egc_subset_of(egc_transport *whole, int first, int stride, int last, int size,
                         int member)
{
    return (egc_subset){
        .common = {.ops = &ops, .rank = member, .size = size, .hollow = whole->hollow},
        .whole = whole,
        .first = first,
        .stride = stride,
        .last = last,
    };
}
