/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Broadcast down a binomial tree. With ranks counted from the root, v = rank - root modulo p, and
 * b the lowest set bit of v (root: the first power of two >= p):
 *
 *     v > 0:                 receive from v - b
 *     d = b/2, b/4, ... 1:   send to v + d, if there is such a rank
 *
 * so that all that hold the message pass it on at once, ceil(log2 p) times. Of 6 ranks and root 0:
 * 0 sends to 4; then 0 to 2 and 4 to 5; then 0 to 1 and 2 to 3. A message has no header;
 * only the root needs to know its length. */
#include <assert.h>

#include "exchange/exchange.h"
#include "exchange/ranks.h"

static void run(egc_call *call)
{
    int p = call->p, root = call->root;
    assert(root >= 0 && root < p);
    int v = (call->rank - root + p) % p, bit = egc_ranks_lowest_bit(v, p);
    if (v > 0)
        egc_call_receive(call, (v - bit + root) % p, call->message);
    for (int d = bit / 2; d > 0; d /= 2)
        if (v + d < p)
            egc_call_send(call, (v + d + root) % p, call->message->data, call->message->len);
}

/* The root sends on every level of the tree. */
static double closed_form(int p, double n, const egc_exchange_network *network)
{
    return egc_ranks_ceil_log2(p) * (network->alpha_s + n * network->beta_s);
}

const egc_exchange_type egc_exchange_broadcast_tree = {
    .name = "broadcast-tree",
    .summary = "broadcast down a binomial tree",
    .cost = "ceil(log2 p) (alpha + n beta)",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005",
    .kind = EGC_COLLECTIVE_BROADCAST,
    .run = run,
    .closed_form = closed_form,
};
