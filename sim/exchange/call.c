/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wraps the transport's functions so that the first error sticks to the call. */
#include "exchange/call.h"

egc_call egc_call_on(const egc_call *call, egc_transport *transport)
{
    egc_call other = *call;
    other.transport = transport;
    other.p = transport->size;
    other.rank = transport->rank;
    return other;
}

void egc_call_copy(egc_call *call, egc_buf *into, const void *data, size_t bytes)
{
    egc_buf_clear(into);
    if (call->transport->size_only)
        into->len = bytes;
    else if (!call->status)
        call->status = egc_buf_append(into, data, bytes, call->err);
}

void egc_call_send(egc_call *call, int to, const void *data, size_t bytes)
{
    if (!call->status)
        call->status = egc_transport_send(call->transport, to, data, bytes, call->err);
}

void egc_call_receive(egc_call *call, int from, egc_buf *into)
{
    if (!call->status)
        call->status = egc_transport_receive(call->transport, from, into, call->err);
}

void egc_call_swap(egc_call *call, int to, const void *data, size_t bytes, int from, egc_buf *into)
{
    if (!call->status)
        call->status =
            egc_transport_sendrecv(call->transport, to, data, bytes, from, into, call->err);
}

void egc_exchange_scratch_fini(egc_exchange_scratch *scratch)
{
    egc_buf_fini(&scratch->in);
    egc_buf_fini(&scratch->out);
    egc_buf_fini(&scratch->sum);
    egc_buf_fini(&scratch->spare);
    egc_buf_fini(&scratch->trees);
}
