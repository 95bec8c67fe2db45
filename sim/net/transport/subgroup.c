/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each operation translates ranks and calls that of the whole transport. */
#include "net/transport/subgroup.h"

static egc_subgroup *group_at(const egc_transport *common)
{
    return (egc_subgroup *)common;
}

static int rank_of(const egc_transport *common, int member)
{
    const egc_subgroup *group = group_at(common);
    if (group->members)
        return group->members[member];
    return member == common->size - 1 ? group->last : group->first + member * group->stride;
}

static egc_status start_send(egc_transport *common, int to, const void *data, size_t bytes,
                             egc_request **out, egc_error *err)
{
    return egc_transport_isend(group_at(common)->whole, rank_of(common, to), data, bytes, out, err);
}

static egc_status start_receive(egc_transport *common, int from, egc_buf *into, egc_request **out,
                                egc_error *err)
{
    return egc_transport_irecv(group_at(common)->whole, rank_of(common, from), into, out, err);
}

static egc_status finish(egc_transport *common, egc_request *request, egc_error *err)
{
    egc_transport *whole = group_at(common)->whole;
    double before = whole->recv_bytes;
    egc_status status = egc_transport_wait(whole, request, err);
    common->recv_bytes += whole->recv_bytes - before;
    return status;
}

static void reduce(egc_transport *common, egc_element element, void *sum, const void *addend,
                   size_t n)
{
    egc_transport_reduce(group_at(common)->whole, element, sum, addend, n);
}

static double now(const egc_transport *common)
{
    return egc_transport_now(group_at(common)->whole);
}

static bool same_host(const egc_transport *common, int peer)
{
    const egc_transport *whole = group_at(common)->whole;
    return whole->ops->same_host(whole, rank_of(common, peer));
}

static const egc_transport_ops ops = {
    .isend = start_send,
    .irecv = start_receive,
    .wait = finish,
    .reduce = reduce,
    .now = now,
    .same_host = same_host,
};

static egc_transport among(const egc_transport *whole, int size, int rank)
{
    return (egc_transport){.ops = &ops, .rank = rank, .size = size, .size_only = whole->size_only};
}

egc_subgroup egc_subgroup_of(egc_transport *whole, const int *members, int size, int rank)
{
    return (egc_subgroup){
        .common = among(whole, size, rank),
        .whole = whole,
        .members = members,
    };
}

egc_subgroup egc_subgroup_spaced(egc_transport *whole, int first, int stride, int last, int size,
                                 int rank)
{
    return (egc_subgroup){
        .common = among(whole, size, rank),
        .whole = whole,
        .first = first,
        .stride = stride,
        .last = last,
    };
}
