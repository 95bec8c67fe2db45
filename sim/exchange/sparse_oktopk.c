/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ok-Topk's balanced sparse all-reduce:
 *
 *     1. split and reduce: each rank sums one part of p, to which all others send theirs directly;
 *        the caller cuts parts so that they are about equally full
 *     2. each rank keeps of its sums what is large enough: about k elements over all ranks
 *     3. all-gather the lengths of what was kept
 *     4. balance, if the longest is more than four times the mean (our choice of "much more"):
 *        taken end to end, what was kept is cut into p pieces of equal length, and each goes to its
 *        rank
 *     5. all-gather
 *
 * Balancing moves bytes, whatever they mean. The thresholds and the boundaries of parts, which the
 * paper estimates anew every few steps, are the caller's. The paper's volume stays below
 * 6 (p-1)/p k elements; without balancing it is the least possible, 2 (p-1)/p k.
 *
 * A part is summed at one rank: all ranks hold the same bytes. */
#include <string.h>

#include "exchange/reduction.h"
#include "exchange/sparse_steps.h"

enum { UNBALANCED = 4, LENGTH_BYTES = sizeof(uint32_t) };

/* ---- lengths, and where they put what was kept ---------------------------------------------- */

typedef struct layout {
    int p;
    const uint64_t *start; /* of each rank's, end to end, and the end of all */
} layout;

static egc_status gather_lengths(const egc_sparse_call *call, size_t kept, egc_error *err)
{
    if (kept > UINT32_MAX)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "ok-topk: a part must be shorter than 4 GiB, got %zu bytes", kept);
    uint8_t mine[LENGTH_BYTES];
    for (int i = 0; i < LENGTH_BYTES; i++)
        mine[i] = (uint8_t)(kept >> 8 * i);
    return egc_exchange_allgather_bruck.gather(call->transport, mine, sizeof mine, call->results,
                                               call->scratch, err);
}

static egc_status read_length(const egc_buf *block, uint32_t *out, egc_error *err)
{
    if (block->len != LENGTH_BYTES)
        return egc_fail(err, EGC_ERROR_FORMAT, "ok-topk: a length of %zu bytes, want %d",
                        block->len, LENGTH_BYTES);
    *out = 0;
    for (int i = 0; i < LENGTH_BYTES; i++)
        *out |= (uint32_t)block->data[i] << 8 * i;
    return EGC_OK;
}

/* From the lengths in results; kept in scratch->spare. */
static egc_status layout_of(const egc_sparse_call *call, layout *out, bool *balanced,
                            egc_error *err)
{
    int p = call->transport->size;
    egc_buf *memory = &call->scratch->spare;
    uint32_t length = 0, longest = 0;
    egc_buf_clear(memory);
    egc_status status = egc_buf_reserve(memory, ((size_t)p + 1) * sizeof(uint64_t), err);
    if (status)
        return status;
    uint64_t *start = (uint64_t *)(void *)memory->data;
    start[0] = 0;
    for (int r = 0; r < p && !status; r++) {
        status = read_length(&call->results[r], &length, err);
        start[r + 1] = start[r] + length;
        longest = length > longest ? length : longest;
    }
    *out = (layout){p, start};
    *balanced = (uint64_t)longest * (uint64_t)p <= UNBALANCED * start[p];
    return status;
}

/* Of all that was kept, end to end. */
typedef struct range {
    uint64_t start, end;
} range;

static range kept_by(const layout *all, int rank)
{
    return (range){all->start[rank], all->start[rank + 1]};
}

/* The piece that is a rank's after balancing. */
static range piece_of(const layout *all, int rank)
{
    uint64_t total = all->start[all->p], p = (uint64_t)all->p, r = (uint64_t)rank;
    return (range){total * r / p, total * (r + 1) / p};
}

static range overlap(range a, range b)
{
    range both = {a.start > b.start ? a.start : b.start, a.end < b.end ? a.end : b.end};
    return both.start < both.end ? both : (range){0, 0};
}

/* ---- balancing ------------------------------------------------------------------------------- */

static egc_status place(egc_buf *piece, range whole, range part, const uint8_t *bytes, size_t len,
                        egc_error *err)
{
    if (len != part.end - part.start)
        return egc_fail(err, EGC_ERROR_FORMAT, "ok-topk: %zu bytes of a piece, want %llu", len,
                        (unsigned long long)(part.end - part.start));
    if (len)
        memcpy(piece->data + (part.start - whole.start), bytes, len);
    return EGC_OK;
}

/* One round: gives rank `to` what belongs to its piece, and gets what `from` has of the own one. */
static egc_status trade(const egc_sparse_call *call, const layout *all, int to, int from,
                        egc_buf *piece, egc_error *err)
{
    egc_transport *transport = call->transport;
    egc_exchange_scratch *scratch = call->scratch;
    range have = kept_by(all, transport->rank), want = piece_of(all, transport->rank);
    range out = overlap(have, piece_of(all, to)), in = overlap(kept_by(all, from), want);
    size_t out_bytes = out.end - out.start;
    const uint8_t *data = out_bytes ? scratch->sum.data + (out.start - have.start) : NULL;
    egc_status status = EGC_OK;
    if (out_bytes && in.end)
        status = egc_transport_sendrecv(transport, to, data, out_bytes, from, &scratch->in, err);
    else if (out_bytes)
        status = egc_transport_send(transport, to, data, out_bytes, err);
    else if (in.end)
        status = egc_transport_receive(transport, from, &scratch->in, err);
    if (status || !in.end)
        return status;
    return place(piece, want, in, scratch->in.data, scratch->in.len, err);
}

/* Leaves this rank's piece in scratch->sum. */
static egc_status balance(const egc_sparse_call *call, const layout *all, egc_error *err)
{
    egc_exchange_scratch *scratch = call->scratch;
    int p = all->p, rank = call->transport->rank;
    range have = kept_by(all, rank), want = piece_of(all, rank), own = overlap(have, want);
    egc_buf *piece = &scratch->out;
    egc_buf_clear(piece);
    egc_status status = egc_buf_reserve(piece, want.end - want.start, err);
    if (status)
        return status;
    piece->len = want.end - want.start;
    if (own.end)
        memcpy(piece->data + (own.start - want.start), scratch->sum.data + (own.start - have.start),
               own.end - own.start);
    for (int round = 1; round < p && !status; round++)
        status = trade(call, all, (rank + round) % p, (rank + p - round) % p, piece, err);
    egc_buf taken = scratch->sum;
    scratch->sum = *piece;
    scratch->out = taken;
    return status;
}

/* Turns pieces, in results, back into what each rank kept. */
static egc_status unbalance(const egc_sparse_call *call, const layout *all, egc_error *err)
{
    egc_buf *end_to_end = &call->scratch->in;
    egc_status status = EGC_OK;
    egc_buf_clear(end_to_end);
    for (int r = 0; r < all->p && !status; r++)
        status = egc_buf_append(end_to_end, call->results[r].data, call->results[r].len, err);
    if (!status && end_to_end->len != all->start[all->p])
        status = egc_fail(err, EGC_ERROR_FORMAT, "ok-topk: pieces of %zu bytes, want %llu",
                          end_to_end->len, (unsigned long long)all->start[all->p]);
    for (int r = 0; r < all->p && !status; r++) {
        range kept = kept_by(all, r);
        egc_buf_clear(&call->results[r]);
        if (kept.end > kept.start)
            status = egc_buf_append(&call->results[r], end_to_end->data + kept.start,
                                    kept.end - kept.start, err);
    }
    return status;
}

/* ---- the exchange --------------------------------------------------------------------------- */

/* Steps 1 and 2: leaves what this rank keeps in scratch->sum. */
static egc_status split_and_keep(const egc_sparse_call *call, const egc_buf *mine, egc_error *err)
{
    egc_exchange_scratch *scratch = call->scratch;
    egc_status status = egc_sparse_steps_split(call, mine, err);
    egc_buf_clear(&scratch->spare);
    if (!status)
        status = call->ops->keep(call->self, &scratch->sum, &scratch->spare, err);
    egc_buf summed = scratch->sum;
    scratch->sum = scratch->spare;
    scratch->spare = summed;
    return status;
}

static egc_status reduce(const egc_sparse_call *call, const egc_buf *mine, egc_error *err)
{
    egc_exchange_scratch *scratch = call->scratch;
    layout all = {0};
    bool balanced = true;
    egc_status status = split_and_keep(call, mine, err);
    if (!status)
        status = gather_lengths(call, scratch->sum.len, err);
    if (!status)
        status = layout_of(call, &all, &balanced, err);
    if (!status && !balanced)
        status = balance(call, &all, err);
    if (!status)
        status = egc_exchange_allgather_bruck.gather(call->transport, scratch->sum.data,
                                                     scratch->sum.len, call->results, scratch, err);
    return status || balanced ? status : unbalance(call, &all, err);
}

static double closed_form(int p, double n, bool disjoint, double alpha, double beta)
{
    (void)disjoint;
    return (p - 1 + 2 * egc_ranks_ceil_log2(p)) * alpha +
           (p - 1) * (2 * n / p + LENGTH_BYTES) * beta;
}

const egc_sparse_type egc_sparse_oktopk = {
    .name = "ok-topk",
    .summary = "sums one part at each rank, keeps what is large, and gathers it in equal pieces",
    .cost = "(p-1+2L) alpha + (2(p-1)/p n + 4(p-1)) beta; up to p-1 messages more to balance",
    .reference = "Li and Hoefler, Near-optimal sparse allreduce for distributed deep learning, "
                 "2022, arXiv 2201.07598",
    .keeps = true,
    .cuts = true,
    .many = true,
    .reduce = reduce,
    .closed_form = closed_form,
};
