/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All-gather by recursive doubling: in step d = 1, 2, 4, ... ranks r and r XOR d exchange all the
 * blocks they hold, so that what each holds doubles.
 *
 * With p between powers of two, q < p < 2q, the e = p - q ranks from q on fold in first: rank
 * q + i gives its block to rank i, which speaks for both, and gets all blocks back at the end.
 *
 * A message is a run of blocks, in ascending order of the speaking rank, that of i before that of
 * q + i. Each block is its length in bytes as a varint (LEB128), then its bytes. Both ends know
 * from p and d whose blocks a message holds. */
#include "exchange/exchange.h"

#include "base/bits.h"

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

static int largest_power(int p)
{
    int power = 1;
    while (power <= p / 2)
        power *= 2;
    return power;
}

/* ---- framing ------------------------------------------------------------------------------- */

static egc_status append_block(egc_buf *message, const egc_buf *block, egc_error *err)
{
    if (block->len > UINT32_MAX)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "allgather-rd: a block must be shorter than 4 GiB, got %zu bytes",
                        block->len);
    egc_status status = egc_varint_append(message, (uint32_t)block->len, err);
    return status ? status : egc_buf_append(message, block->data, block->len, err);
}

static egc_status read_block(egc_reader *reader, egc_buf *block, egc_error *err)
{
    uint32_t len;
    const uint8_t *bytes;
    egc_status status = egc_varint_read(reader, &len, err);
    if (!status)
        status = egc_reader_take(reader, len, &bytes, err);
    egc_buf_clear(block);
    return status ? status : egc_buf_append(block, bytes, len, err);
}

/* Puts the blocks of `held` into scratch->out, leaving out the one of rank `except`. */
static egc_status pack(gathering *g, run held, int except, egc_error *err)
{
    egc_status status = EGC_OK;
    egc_buf_clear(&g->scratch->out);
    for (int speaker = held.first; speaker < held.end; speaker++)
        for (int r = speaker; r < g->transport->size && !status; r += g->speakers)
            if (r != except)
                status = append_block(&g->scratch->out, &g->blocks[r], err);
    return status;
}

/* Takes the blocks of `held` out of scratch->in. */
static egc_status unpack(gathering *g, run held, int except, egc_error *err)
{
    egc_reader reader = egc_reader_of(g->scratch->in.data, g->scratch->in.len);
    egc_status status = EGC_OK;
    for (int speaker = held.first; speaker < held.end; speaker++)
        for (int r = speaker; r < g->transport->size && !status; r += g->speakers)
            if (r != except)
                status = read_block(&reader, &g->blocks[r], err);
    if (!status && egc_reader_left(&reader))
        status = egc_fail(err, EGC_ERROR_FORMAT, "%zu bytes after the last block",
                          egc_reader_left(&reader));
    return status ? egc_error_prefix(err, "allgather-rd") : EGC_OK;
}

/* ---- the exchange -------------------------------------------------------------------------- */

static egc_status send_packed(gathering *g, int to, egc_error *err)
{
    egc_request *request = NULL;
    egc_status status =
        egc_isend(g->transport, to, g->scratch->out.data, g->scratch->out.len, &request, err);
    return status ? status : egc_wait(g->transport, request, err);
}

static egc_status receive_packed(gathering *g, int from, egc_error *err)
{
    egc_request *request = NULL;
    egc_status status = egc_irecv(g->transport, from, &g->scratch->in, &request, err);
    return status ? status : egc_wait(g->transport, request, err);
}

/* A rank that has folded in: it gives its block and gets all the others. */
static egc_status gather_folded(gathering *g, egc_error *err)
{
    int rank = g->transport->rank, speaker = rank - g->speakers;
    egc_buf_clear(&g->scratch->out);
    egc_status status = append_block(&g->scratch->out, &g->blocks[rank], err);
    if (!status)
        status = send_packed(g, speaker, err);
    if (!status)
        status = receive_packed(g, speaker, err);
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
            status = egc_sendrecv(g->transport, partner, g->scratch->out.data, g->scratch->out.len,
                                  partner, &g->scratch->in, err);
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
        status = receive_packed(g, folded, err);
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
    gathering g = {transport, blocks, scratch, largest_power(transport->size)};
    egc_buf *own = &blocks[transport->rank];
    egc_buf_clear(own);
    egc_status status = egc_buf_append(own, mine, bytes, err);
    if (status)
        return status;
    return transport->rank < g.speakers ? gather_speaking(&g, err) : gather_folded(&g, err);
}

/* The path through rank 0, which speaks for two whenever anyone does: its group is never behind
 * and never smaller than another. */
static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    (void)gamma;
    int speakers = largest_power(p), folded = p - speakers;
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
    .kind = EGC_EXCHANGE_GATHER,
    .gather = gather,
    .closed_form = closed_form,
};
