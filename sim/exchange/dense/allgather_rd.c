/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All-gather by recursive doubling: in step d = 1, 2, 4, ... ranks r and r XOR d exchange all the
 * blocks they hold, so that each holds twice as many afterwards.
 *
 * With p between powers of two, q < p < 2q, the e = p - q ranks from q on fold in first: rank
 * q + i gives its block to rank i, which speaks for both, and gets all blocks back at the end.
 *
 * A message is a run of blocks, in ascending order of the speaking rank, that of i before that of
 * q + i. Both ends know from p and d whose blocks a message holds. */
#include "exchange/blocks.h"
#include "exchange/ranks.h"

/* The blocks of the speakers first ... end - 1 and of those folded into them. */
static egc_blocks_run run_of(const egc_call *call, int first, int end, int except)
{
    return (egc_blocks_run){first, end, 1, egc_ranks_floor_power(call->p), except};
}

static void send_run(egc_call *call, int to, egc_blocks_run blocks)
{
    egc_blocks_pack(call, blocks);
    egc_call_send(call, to, call->scratch->out.data, call->scratch->out.len);
}

static void receive_run(egc_call *call, int from, egc_blocks_run blocks)
{
    egc_call_receive(call, from, &call->scratch->in);
    egc_blocks_unpack(call, blocks);
}

static void run(egc_call *call)
{
    int rank = call->rank, speakers = egc_ranks_floor_power(call->p), folded = rank + speakers;
    if (rank >= speakers) {
        egc_blocks_run own = {rank, rank + 1, 1, call->p, -1};
        send_run(call, rank - speakers, own);
        receive_run(call, rank - speakers, run_of(call, 0, speakers, rank));
        return;
    }
    if (folded < call->p)
        receive_run(call, folded, run_of(call, rank, rank + 1, rank));
    for (int d = 1; d < speakers; d *= 2) {
        int partner = rank ^ d, held = rank & ~(d - 1), coming = partner & ~(d - 1);
        egc_blocks_swap(call, partner, run_of(call, held, held + d, -1), partner,
                        run_of(call, coming, coming + d, -1));
    }
    if (folded < call->p)
        send_run(call, folded, run_of(call, 0, speakers, folded));
}

/* The path through rank 0, which speaks for two whenever anyone does: its group is never behind
 * and never smaller than another. */
static double closed_form(int p, double n, const egc_exchange_network *network)
{
    double alpha = network->alpha_s, beta = network->beta_s;
    int speakers = egc_ranks_floor_power(p), folded = p - speakers;
    double seconds = folded ? (alpha + n * beta) + (alpha + (p - 1) * n * beta) : 0;
    for (int d = 1; d < speakers; d *= 2)
        seconds += alpha + (d + (folded < d ? folded : d)) * n * beta;
    return seconds;
}

const egc_exchange_type egc_exchange_allgather_rd = {
    .name = "allgather-rd",
    .summary = "all-gather by recursive doubling: fewest steps, best for short messages",
    .cost = "p = 2^L: L alpha + (p-1) n beta; otherwise, e = p - 2^L: (L+2) alpha + "
            "(p + sum over d = 1, 2, 4 ... < 2^L of d + min(d, e)) n beta",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005; other p by folding as in their all-reduce",
    .kind = EGC_COLLECTIVE_ALLGATHER,
    .run = run,
    .closed_form = closed_form,
};
