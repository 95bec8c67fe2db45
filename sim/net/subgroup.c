/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/subgroup.h"

static egc_status start_send(egc_transport *common, int to, const void *data, size_t bytes,
                             egc_request **out, egc_error *err)
{
    egc_subgroup *group = (egc_subgroup *)common;
    return egc_isend(group->whole, group->members[to], data, bytes, out, err);
}

static egc_status start_receive(egc_transport *common, int from, egc_buf *into, egc_request **out,
                                egc_error *err)
{
    egc_subgroup *group = (egc_subgroup *)common;
    return egc_irecv(group->whole, group->members[from], into, out, err);
}

static egc_status finish(egc_transport *common, egc_request *request, egc_error *err)
{
    egc_subgroup *group = (egc_subgroup *)common;
    double before = group->whole->recv_bytes;
    egc_status status = egc_wait(group->whole, request, err);
    common->recv_bytes += group->whole->recv_bytes - before;
    return status;
}

static void reduce(egc_transport *common, egc_element element, void *sum, const void *addend,
                   size_t n)
{
    egc_reduce(((egc_subgroup *)common)->whole, element, sum, addend, n);
}

static double now(const egc_transport *common)
{
    return egc_now(((const egc_subgroup *)common)->whole);
}

static bool beside(const egc_transport *common, int peer)
{
    const egc_subgroup *group = (const egc_subgroup *)common;
    return group->whole->ops->beside(group->whole, group->members[peer]);
}

static const egc_transport_ops ops = {
    .isend = start_send,
    .irecv = start_receive,
    .wait = finish,
    .reduce = reduce,
    .now = now,
    .beside = beside,
};

void egc_subgroup_init(egc_subgroup *group, egc_transport *whole, const int *members, int size,
                       int rank)
{
    *group = (egc_subgroup){
        .common = {.ops = &ops, .rank = rank, .size = size, .hollow = whole->hollow},
        .whole = whole,
        .members = members,
    };
}
