/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bruck's all-gather: in step d = 1, 2, 4, ... rank r gets from r + d the blocks that follow its
 * own, of ranks r + d ... r + 2d - 1 modulo p, until it has all: ceil(log2 p) steps for any p.
 *
 * A message is a run of blocks, in ascending order from the sender's own on, of any lengths. Both
 * ends know from p and d how many. Of five ranks: one block, two, and one in the last step. */
#include "exchange/blocks.h"
#include "exchange/reduction.h"

/* Puts `count` blocks from the own one on into scratch->out. */
static egc_status pack(const egc_transport *transport, int count, const egc_buf *blocks,
                       egc_exchange_scratch *scratch, egc_error *err)
{
    egc_status status = EGC_OK;
    egc_buf_clear(&scratch->out);
    for (int i = 0; i < count && !status; i++)
        status = egc_blocks_append(transport, &scratch->out,
                                   &blocks[(transport->rank + i) % transport->size], err);
    return status ? egc_error_prefix(err, "allgather-bruck") : EGC_OK;
}

/* Takes the blocks of `count` ranks from `first` on out of scratch->in. */
static egc_status unpack(const egc_transport *transport, int first, int count, egc_buf *blocks,
                         egc_exchange_scratch *scratch, egc_error *err)
{
    egc_reader reader = egc_blocks_of(transport, &scratch->in);
    egc_status status = EGC_OK;
    for (int i = 0; i < count && !status; i++)
        status = egc_blocks_read(transport, &reader, &blocks[(first + i) % transport->size], err);
    if (!status)
        status = egc_blocks_end(transport, &reader, err);
    return status ? egc_error_prefix(err, "allgather-bruck") : EGC_OK;
}

static egc_status gather(egc_transport *transport, const void *mine, size_t bytes, egc_buf *blocks,
                         egc_exchange_scratch *scratch, egc_error *err)
{
    int p = transport->size, rank = transport->rank;
    egc_status status = egc_blocks_begin(transport, mine, bytes, blocks, err);
    for (int d = 1; d < p && !status; d *= 2) {
        int count = d < p - d ? d : p - d, from = (rank + d) % p;
        status = pack(transport, count, blocks, scratch, err);
        if (!status)
            status = egc_transport_sendrecv(transport, (rank + p - d) % p, scratch->out.data,
                                            scratch->out.len, from, &scratch->in, err);
        if (!status)
            status = unpack(transport, from, count, blocks, scratch, err);
    }
    return status;
}

static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    (void)gamma;
    return egc_ranks_ceil_log2(p) * alpha + (p - 1) * n * beta;
}

const egc_exchange_type egc_exchange_allgather_bruck = {
    .name = "allgather-bruck",
    .summary = "all-gather in ceil(log2 p) steps for any p: best for short messages",
    .cost = "ceil(log2 p) alpha + (p-1) n beta",
    .reference = "Bruck et al., Efficient algorithms for all-to-all communications in multiport "
                 "message-passing systems, 1997",
    .kind = EGC_COLLECTIVE_ALLGATHER,
    .gather = gather,
    .closed_form = closed_form,
};
