/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All-gather by recursive doubling: in step d = 1, 2, 4, ... ranks r and r XOR d exchange all the
 * blocks they hold, so that what each holds doubles.
 *
 * With p between powers of two, q < p < 2q, the e = p - q ranks from q on fold in first: rank
 * q + i gives its block to rank i, which speaks for both, and gets all blocks back at the end.
 *
 * A message is a run of blocks, in ascending order of the speaking rank, that of i before that of
 * q + i. Both ends know from p and d whose blocks a message holds. */
#include "exchange/blocks.h"
#include "exchange/reduction.h"

/* The speakers whose blocks, with those folded into them, travel together. */
typedef struct run {
    int first, end;
} run;

typedef struct gathering {
    egc_transport *transport;
    egc_buf *blocks;
    egc_exchange_scratch *scratch;
    int speakers; /* the largest power of two <= p */
} gathering;

/* ---- framing ------------------------------------------------------------------------------- */

/* Puts the blocks of `held` into scratch->out, leaving out the one of rank `except`. */
static egc_status pack(gathering *g, run held, int except, egc_error *err)
{
    egc_status status = EGC_OK;
    egc_buf_clear(&g->scratch->out);
    for (int speaker = held.first; speaker < held.end; speaker++)
        for (int r = speaker; r < g->transport->size && !status; r += g->speakers)
            if (r != except)
                status = egc_blocks_append(g->transport, &g->scratch->out, &g->blocks[r], err);
    return status ? egc_error_prefix(err, "allgather-rd") : EGC_OK;
}

/* Takes the blocks of `held` out of scratch->in. */
static egc_status unpack(gathering *g, run held, int except, egc_error *err)
{
    egc_reader reader = egc_blocks_of(g->transport, &g->scratch->in);
    egc_status status = EGC_OK;
    for (int speaker = held.first; speaker < held.end; speaker++)
        for (int r = speaker; r < g->transport->size && !status; r += g->speakers)
            if (r != except)
                status = egc_blocks_read(g->transport, &reader, &g->blocks[r], err);
    if (!status)
        status = egc_blocks_end(g->transport, &reader, err);
    return status ? egc_error_prefix(err, "allgather-rd") : EGC_OK;
}

/* ---- the exchange -------------------------------------------------------------------------- */

static egc_status send_packed(gathering *g, int to, egc_error *err)
{
    return egc_transport_send(g->transport, to, g->scratch->out.data, g->scratch->out.len, err);
}

/* A rank that has folded in: it gives its block and gets all the others. */
static egc_status gather_folded(gathering *g, egc_error *err)
{
    int rank = g->transport->rank, speaker = rank - g->speakers;
    egc_buf_clear(&g->scratch->out);
    egc_status status = egc_blocks_append(g->transport, &g->scratch->out, &g->blocks[rank], err);
    if (!status)
        status = send_packed(g, speaker, err);
    if (!status)
        status = egc_transport_receive(g->transport, speaker, &g->scratch->in, err);
    return status ? status : unpack(g, (run){0, g->speakers}, rank, err);
}

static egc_status double_up(gathering *g, egc_error *err)
{
    int rank = g->transport->rank;
    egc_status status = EGC_OK;
    for (int d = 1; d < g->speakers && !status; d *= 2) {
        int partner = rank ^ d;
        run held = {rank & ~(d - 1), (rank & ~(d - 1)) + d};
        run coming = {partner & ~(d - 1), (partner & ~(d - 1)) + d};
        status = pack(g, held, -1, err);
        if (!status)
            status = egc_transport_sendrecv(g->transport, partner, g->scratch->out.data,
                                            g->scratch->out.len, partner, &g->scratch->in, err);
        if (!status)
            status = unpack(g, coming, -1, err);
    }
    return status;
}

/* A rank that speaks, for another one too if `folded` exists. */
static egc_status gather_speaking(gathering *g, egc_error *err)
{
    int rank = g->transport->rank, folded = rank + g->speakers;
    bool speaks_for_two = folded < g->transport->size;
    egc_status status = EGC_OK;
    if (speaks_for_two) {
        status = egc_transport_receive(g->transport, folded, &g->scratch->in, err);
        if (!status)
            status = unpack(g, (run){rank, rank + 1}, rank, err);
    }
    if (!status)
        status = double_up(g, err);
    if (!status && speaks_for_two) {
        status = pack(g, (run){0, g->speakers}, folded, err);
        if (!status)
            status = send_packed(g, folded, err);
    }
    return status;
}

static egc_status gather(egc_transport *transport, const void *mine, size_t bytes, egc_buf *blocks,
                         egc_exchange_scratch *scratch, egc_error *err)
{
    gathering g = {transport, blocks, scratch, egc_ranks_floor_power(transport->size)};
    egc_status status = egc_blocks_begin(transport, mine, bytes, blocks, err);
    if (status)
        return status;
    return transport->rank < g.speakers ? gather_speaking(&g, err) : gather_folded(&g, err);
}

/* The path through rank 0, which speaks for two whenever anyone does: its group is never behind
 * and never smaller than another. */
static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    (void)gamma;
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
    .gather = gather,
    .closed_form = closed_form,
};
