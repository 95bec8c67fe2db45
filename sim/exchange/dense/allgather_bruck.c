/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bruck's all-gather: in step d = 1, 2, 4, ... rank r gets from r + d the blocks that follow its
 * own, of ranks r + d ... r + 2d - 1 modulo p, until it has all: ceil(log2 p) steps for any p.
 *
 * A message is a run of blocks, in ascending order from the sender's own on, of any lengths. Both
 * ends know from p and d how many. Of five ranks: one block, two, and one in the last step. */
#include "exchange/blocks.h"
#include "exchange/ranks.h"

static void run(egc_call *call)
{
    int p = call->p, rank = call->rank;
    for (int d = 1; d < p; d *= 2) {
        int count = d < p - d ? d : p - d, from = (rank + d) % p;
        egc_blocks_swap(call, (rank + p - d) % p, (egc_blocks_run){rank, rank + count, 1, p, -1},
                        from, (egc_blocks_run){from, from + count, 1, p, -1});
    }
}

static double closed_form(int p, double n, const egc_exchange_network *network)
{
    return egc_ranks_ceil_log2(p) * network->alpha_s + (p - 1) * n * network->beta_s;
}

const egc_exchange_type egc_exchange_allgather_bruck = {
    .name = "allgather-bruck",
    .summary = "all-gather in ceil(log2 p) steps for any p: best for short messages",
    .cost = "ceil(log2 p) alpha + (p-1) n beta",
    .reference = "Bruck et al., Efficient algorithms for all-to-all communications in multiport "
                 "message-passing systems, 1997",
    .kind = EGC_COLLECTIVE_ALLGATHER,
    .run = run,
    .closed_form = closed_form,
};
