/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Broadcast down a binomial tree. With ranks counted from the root, v = rank - root modulo p, and
 * b the lowest set bit of v (root: the first power of two >= p):
 *
 *     v > 0:                 receive from v - b
 *     d = b/2, b/4, ... 1:   send to v + d, if there is such a rank
 *
 * so that all that hold the message pass it on at once, ceil(log2 p) times. Of 6 ranks and root 0:
 * 0 sends to 4; then 0 to 2 and 4 to 5; then 0 to 1 and 2 to 3. A message is what is broadcast and
 * nothing else; only the root need know its length. */
#include <assert.h>

#include "exchange/reduction.h"

static egc_status broadcast(egc_transport *transport, int root, egc_buf *message,
                            egc_exchange_scratch *scratch, egc_error *err)
{
    (void)scratch;
    int p = transport->size;
    assert(root >= 0 && root < p);
    int v = (transport->rank - root + p) % p, bit = egc_ranks_lowest_bit(v, p);
    egc_status status = EGC_OK;
    if (v > 0)
        status = egc_transport_receive(transport, (v - bit + root) % p, message, err);
    for (int d = bit / 2; d > 0 && !status; d /= 2)
        if (v + d < p)
            status =
                egc_transport_send(transport, (v + d + root) % p, message->data, message->len, err);
    return status;
}

/* The root sends in every round. */
static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    (void)gamma;
    return egc_ranks_ceil_log2(p) * (alpha + n * beta);
}

const egc_exchange_type egc_exchange_broadcast_tree = {
    .name = "broadcast-tree",
    .summary = "broadcast down a binomial tree",
    .cost = "ceil(log2 p) (alpha + n beta)",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005",
    .kind = EGC_COLLECTIVE_BROADCAST,
    .broadcast = broadcast,
    .closed_form = closed_form,
};
