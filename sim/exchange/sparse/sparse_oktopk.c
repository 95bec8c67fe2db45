/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ok-Topk's balanced sparse all-reduce:
 *
 *     1. split and reduce: each rank sums one part of p, to which all others send theirs directly;
 *        the caller cuts parts so that they are about equally full
 *     2. each rank keeps the largest elements of its sums: about k over all ranks
 *     3. all-gather the lengths of the kept messages
 *     4. balance, if the longest is more than four times the mean (our choice of "much more"):
 *        the kept messages, end to end, are cut into p pieces of equal length, and each goes to its
 *        rank
 *     5. all-gather
 *
 * Balancing moves bytes without decoding them. The thresholds and the boundaries of parts, which
 * the paper estimates anew every few steps, are the caller's. The paper's volume stays below 6
 * (p-1)/p k elements; without balancing it is the least possible, 2 (p-1)/p k.
 *
 * A part is summed at one rank: all ranks hold the same bytes. */
#include <string.h>

#include "exchange/sparse_steps.h"

enum { UNBALANCED = 4, LENGTH_BYTES = sizeof(uint32_t) };

/* ---- lengths and positions of the kept messages ---------------------------------------------- */

typedef struct layout {
    int p;
    const uint64_t *start; /* p + 1 offsets of the ranks' kept messages, end to end */
} layout;

/* Leaves the length that each rank kept in results. */
static void gather_lengths(egc_sparse_steps *s)
{
    size_t kept = s->call.scratch->sum.len;
    uint8_t mine[LENGTH_BYTES];
    if (!s->call.status && kept > UINT32_MAX)
        s->call.status =
            egc_fail(s->call.err, EGC_ERROR_UNSUPPORTED,
                     "ok-topk: a part must be shorter than 4 GiB, got %zu bytes", kept);
    for (int i = 0; i < LENGTH_BYTES; i++)
        mine[i] = (uint8_t)(kept >> 8 * i);
    egc_sparse_steps_gather(s, mine, sizeof mine);
}

static uint32_t read_length(egc_sparse_steps *s, const egc_buf *block)
{
    uint32_t length = 0;
    if (block->len != LENGTH_BYTES) {
        s->call.status =
            egc_fail(s->call.err, EGC_ERROR_FORMAT, "ok-topk: a length of %zu bytes, want %d",
                     block->len, LENGTH_BYTES);
        return 0;
    }
    for (int i = 0; i < LENGTH_BYTES; i++)
        length |= (uint32_t)block->data[i] << 8 * i;
    return length;
}

/* Reads the lengths in results. The layout is kept in scratch->spare. */
static layout layout_of(egc_sparse_steps *s, bool *balanced)
{
    int p = s->call.p;
    egc_buf *memory = &s->call.scratch->spare;
    uint32_t longest = 0;
    egc_buf_clear(memory);
    if (!s->call.status)
        s->call.status = egc_buf_reserve(memory, ((size_t)p + 1) * sizeof(uint64_t), s->call.err);
    if (s->call.status)
        return (layout){0};
    uint64_t *start = (uint64_t *)(void *)memory->data;
    start[0] = 0;
    for (int r = 0; r < p && !s->call.status; r++) {
        uint32_t length = read_length(s, &s->given->results[r]);
        start[r + 1] = start[r] + length;
        longest = length > longest ? length : longest;
    }
    *balanced = (uint64_t)longest * (uint64_t)p <= UNBALANCED * start[p];
    return (layout){p, start};
}

/* Bytes of all kept messages, end to end. */
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

/* One step: sends rank `to` the bytes of its piece that this rank kept, and receives bytes of this
 * rank's piece from `from`. */
static void trade(egc_sparse_steps *s, const layout *all, int to, int from, egc_buf *piece)
{
    egc_call *call = &s->call;
    egc_exchange_scratch *scratch = call->scratch;
    range have = kept_by(all, call->rank), want = piece_of(all, call->rank);
    range out = overlap(have, piece_of(all, to)), in = overlap(kept_by(all, from), want);
    size_t out_bytes = out.end - out.start;
    const uint8_t *data = out_bytes ? scratch->sum.data + (out.start - have.start) : NULL;
    if (out_bytes && in.end)
        egc_call_swap(call, to, data, out_bytes, from, &scratch->in);
    else if (out_bytes)
        egc_call_send(call, to, data, out_bytes);
    else if (in.end)
        egc_call_receive(call, from, &scratch->in);
    if (call->status || !in.end)
        return;
    if (scratch->in.len != in.end - in.start)
        call->status =
            egc_fail(call->err, EGC_ERROR_FORMAT, "ok-topk: %zu bytes of a piece, want %llu",
                     scratch->in.len, (unsigned long long)(in.end - in.start));
    else
        memcpy(piece->data + (in.start - want.start), scratch->in.data, scratch->in.len);
}

/* Leaves this rank's piece in scratch->sum. */
static void balance(egc_sparse_steps *s, const layout *all)
{
    egc_exchange_scratch *scratch = s->call.scratch;
    int p = all->p, rank = s->call.rank;
    range have = kept_by(all, rank), want = piece_of(all, rank), own = overlap(have, want);
    egc_buf *piece = &scratch->out;
    egc_buf_clear(piece);
    s->call.status = egc_buf_reserve(piece, want.end - want.start, s->call.err);
    if (s->call.status)
        return;
    piece->len = want.end - want.start;
    if (own.end)
        memcpy(piece->data + (own.start - want.start), scratch->sum.data + (own.start - have.start),
               own.end - own.start);
    for (int step = 1; step < p; step++)
        trade(s, all, (rank + step) % p, (rank + p - step) % p, piece);
    egc_sparse_steps_exchange(&scratch->sum, &scratch->out);
}

/* Replaces the pieces in results by the bytes that each rank kept. */
static void unbalance(egc_sparse_steps *s, const layout *all)
{
    egc_buf *end_to_end = &s->call.scratch->in, *results = s->given->results;
    egc_buf_clear(end_to_end);
    for (int r = 0; r < all->p; r++)
        egc_buf_put(end_to_end, results[r].data, results[r].len);
    if (!s->call.status)
        s->call.status = egc_buf_check(end_to_end, s->call.err);
    if (!s->call.status && end_to_end->len != all->start[all->p])
        s->call.status =
            egc_fail(s->call.err, EGC_ERROR_FORMAT, "ok-topk: pieces of %zu bytes, want %llu",
                     end_to_end->len, (unsigned long long)all->start[all->p]);
    for (int r = 0; r < all->p && !s->call.status; r++) {
        range kept = kept_by(all, r);
        egc_buf_clear(&results[r]);
        if (kept.end > kept.start)
            s->call.status = egc_buf_append(&results[r], end_to_end->data + kept.start,
                                            kept.end - kept.start, s->call.err);
    }
}

/* ---- the exchange --------------------------------------------------------------------------- */

static egc_status reduce(const egc_sparse_call *given, const egc_buf *mine, egc_error *err)
{
    egc_sparse_steps s = egc_sparse_steps_begin(given, "ok-topk", err);
    egc_exchange_scratch *scratch = given->scratch;
    bool balanced = true;
    egc_sparse_steps_split(&s, mine);
    egc_sparse_steps_keep(&s, &scratch->sum, &scratch->spare);
    egc_sparse_steps_exchange(&scratch->sum, &scratch->spare);
    gather_lengths(&s);
    layout all = layout_of(&s, &balanced);
    if (!s.call.status && !balanced)
        balance(&s, &all);
    egc_sparse_steps_gather(&s, scratch->sum.data, scratch->sum.len);
    if (!s.call.status && !balanced)
        unbalance(&s, &all);
    return s.call.status;
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
