/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sliding window of receive requests, whose buffers are passed on from finished messages. */
#include "exchange/incast.h"

#include <limits.h>

#include "base/mem.h"

/* The messages to the root, counted from 0 in the order of ranks after it. */
typedef struct incast {
    egc_transport *transport;
    int n;
    int asked, taken, reused; /* taken <= asked <= n; buffers before `reused` have moved on */
    egc_request **requests;
    egc_buf *buffers;
    int messages; /* the window, as wide as it is by now */
    double bytes;
    double taken_bytes;
    size_t last_bytes; /* the message taken last, */
    double last_s;     /* and when */
} incast;

egc_incast_window egc_incast_usual(const egc_exchange_network *network)
{
    enum { MESSAGES = 64, FLIGHTS = 4 };
    return (egc_incast_window){MESSAGES, FLIGHTS * network->alpha_s / network->beta_s};
}

static int rank_of(const incast *in, int message)
{
    return (in->transport->rank + 1 + message) % in->transport->size;
}

static bool has_room(const incast *in)
{
    int under_way = in->asked - in->taken;
    return under_way < in->messages ||
           (in->taken && under_way * (in->taken_bytes / in->taken) < in->bytes);
}

/* Each goes into a buffer that an earlier one has left, if there is one. */
static egc_status ask(incast *in, egc_error *err)
{
    egc_status status = EGC_OK;
    for (; in->asked < in->n && has_room(in) && !status; in->asked++) {
        int next = in->asked;
        if (in->reused < in->taken) {
            in->buffers[next] = in->buffers[in->reused];
            in->buffers[in->reused++] = (egc_buf){0};
        }
        status = egc_transport_irecv(in->transport, rank_of(in, next), &in->buffers[next],
                                     &in->requests[next], err);
    }
    return status;
}

/* Equal messages that came together widen the window. */
static void note(incast *in, size_t bytes)
{
    double now_s = egc_transport_now(in->transport);
    bool twin = in->taken && bytes == in->last_bytes && now_s == in->last_s;
    in->messages += twin && in->messages < in->n;
    in->last_bytes = bytes;
    in->last_s = now_s;
    in->taken_bytes += (double)bytes;
    in->taken++;
}

static egc_status receive_all(incast *in, egc_incast_take take, void *arg, egc_error *err)
{
    egc_status status = ask(in, err);
    while (in->taken < in->n && !status) {
        int oldest = in->taken;
        egc_request *request = in->requests[oldest];
        status = egc_transport_wait(in->transport, request, err);
        if (status)
            break;
        status = take(arg, rank_of(in, oldest), &in->buffers[oldest], err);
        note(in, in->buffers[oldest].len);
        if (!status)
            status = ask(in, err);
    }
    return status;
}

egc_status egc_incast(egc_transport *transport, int root, const void *mine, size_t bytes,
                      const egc_incast_window *window, egc_incast_take take, void *arg,
                      egc_error *err)
{
    if (transport->rank != root)
        return egc_transport_send(transport, root, mine, bytes, err);
    int n = transport->size - 1;
    incast in = {
        .transport = transport,
        .n = n,
        .requests = egc_calloc((size_t)n, sizeof *in.requests),
        .buffers = egc_calloc((size_t)n, sizeof *in.buffers),
        .messages = window->messages > 0 ? window->messages : INT_MAX,
        .bytes = window->bytes,
    };
    egc_status status = in.requests && in.buffers
                            ? receive_all(&in, take, arg, err)
                            : egc_fail_memory(err, (size_t)n * sizeof *in.buffers);
    for (int i = 0; in.buffers && i < n; i++)
        egc_buf_fini(&in.buffers[i]);
    egc_free(in.buffers);
    egc_free(in.requests);
    return status;
}
