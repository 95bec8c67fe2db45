/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of peers, counters of bytes, and calls composed of a backend's operations. */
#include "net/transport/transport.h"

static egc_status check_peer(const egc_transport *transport, int peer, egc_error *err)
{
    if (peer >= 0 && peer < transport->size)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_RANGE, "rank of a peer must be in [0, %d], got %d",
                    transport->size - 1, peer);
}

egc_status egc_transport_isend(egc_transport *transport, int to, const void *data, size_t bytes,
                               egc_request **out, egc_error *err)
{
    egc_status status = check_peer(transport, to, err);
    if (!status)
        status = transport->ops->isend(transport, to, data, bytes, out, err);
    if (!status && !transport->ops->same_host(transport, to))
        transport->sent_bytes += (double)bytes;
    return status;
}

egc_status egc_transport_irecv(egc_transport *transport, int from, egc_buf *into, egc_request **out,
                               egc_error *err)
{
    egc_status status = check_peer(transport, from, err);
    return status ? status : transport->ops->irecv(transport, from, into, out, err);
}

egc_status egc_transport_wait(egc_transport *transport, egc_request *request, egc_error *err)
{
    return request ? transport->ops->wait(transport, request, err) : EGC_OK;
}

egc_status egc_transport_wait_all(egc_transport *transport, egc_request *const *requests, size_t n,
                                  egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = egc_transport_wait(transport, requests[i], err);
    return status;
}

egc_status egc_transport_send(egc_transport *transport, int to, const void *data, size_t bytes,
                              egc_error *err)
{
    egc_request *request = NULL;
    egc_status status = egc_transport_isend(transport, to, data, bytes, &request, err);
    return status ? status : egc_transport_wait(transport, request, err);
}

egc_status egc_transport_receive(egc_transport *transport, int from, egc_buf *into, egc_error *err)
{
    egc_request *request = NULL;
    egc_status status = egc_transport_irecv(transport, from, into, &request, err);
    return status ? status : egc_transport_wait(transport, request, err);
}

egc_status egc_transport_sendrecv(egc_transport *transport, int to, const void *data, size_t bytes,
                                  int from, egc_buf *into, egc_error *err)
{
    egc_request *send = NULL, *receive = NULL;
    egc_status status = egc_transport_isend(transport, to, data, bytes, &send, err);
    if (!status)
        status = egc_transport_irecv(transport, from, into, &receive, err);
    return status ? status
                  : egc_transport_wait_all(transport, (egc_request *[]){receive, send}, 2, err);
}

void egc_transport_reduce(egc_transport *transport, egc_element element, void *sum,
                          const void *addend, size_t n)
{
    transport->ops->reduce(transport, element, sum, addend, n);
}

double egc_transport_now(const egc_transport *transport)
{
    return transport->ops->now(transport);
}
