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

#include "exchange/exchange.h"

/* b above. */
static int lowest_bit(int v, int p)
{
    int bit = 1;
    while (bit < p && !(v & bit))
        bit *= 2;
    return bit;
}

static egc_status receive_from(egc_transport *transport, int from, egc_buf *message, egc_error *err)
{
    egc_request *request = NULL;
    egc_status status = egc_irecv(transport, from, message, &request, err);
    return status ? status : egc_wait(transport, request, err);
}

static egc_status send_to(egc_transport *transport, int to, const egc_buf *message, egc_error *err)
{
    egc_request *request = NULL;
    egc_status status = egc_isend(transport, to, message->data, message->len, &request, err);
    return status ? status : egc_wait(transport, request, err);
}

static egc_status broadcast(egc_transport *transport, int root, egc_buf *message,
                            egc_exchange_scratch *scratch, egc_error *err)
{
    (void)scratch;
    int p = transport->size;
    assert(root >= 0 && root < p);
    int v = (transport->rank - root + p) % p, bit = lowest_bit(v, p);
    egc_status status = EGC_OK;
    if (v > 0)
        status = receive_from(transport, (v - bit + root) % p, message, err);
    for (int d = bit / 2; d > 0 && !status; d /= 2)
        if (v + d < p)
            status = send_to(transport, (v + d + root) % p, message, err);
    return status;
}

/* The root sends in every round. */
static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    (void)gamma;
    int rounds = 0;
    for (int reached = 1; reached < p; reached *= 2)
        rounds++;
    return rounds * (alpha + n * beta);
}

const egc_exchange_type egc_exchange_broadcast_tree = {
    .name = "broadcast-tree",
    .summary = "broadcast down a binomial tree",
    .cost = "ceil(log2 p) (alpha + n beta)",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005",
    .kind = EGC_EXCHANGE_BROADCAST,
    .broadcast = broadcast,
    .closed_form = closed_form,
};
