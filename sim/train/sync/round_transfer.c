/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/sync/round_transfer.h"

#include <math.h>

#include "base/mem.h"
#include "train/cost/compression_time.h"

egc_status egc_round_transfer_init(egc_round_transfer *transfer, egc_engine *engine, size_t worker,
                                   egc_world *world, egc_transport *transport, egc_error *err)
{
    *transfer = (egc_round_transfer){
        .world = world,
        .transport = transport,
        .engine = engine,
        .worker = worker,
        .gathered = egc_calloc(engine->n_workers, sizeof *transfer->gathered),
        .scratch = {.group = engine->choice.group},
    };
    return transfer->gathered
               ? EGC_OK
               : egc_fail_memory(err, engine->n_workers * sizeof *transfer->gathered);
}

void egc_round_transfer_fini(egc_round_transfer *transfer)
{
    for (size_t r = 0; transfer->gathered && r < transfer->engine->n_workers; r++)
        egc_buf_fini(&transfer->gathered[r]);
    egc_free(transfer->gathered);
    egc_buf_fini(&transfer->broadcast);
    egc_buf_fini(&transfer->opened);
    egc_buf_fini(&transfer->kept);
    egc_exchange_scratch_fini(&transfer->scratch);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Pieces of a vector that is summed on the way: all but the last are `most` elements long. */
typedef struct pieces {
    size_t element_bytes;
    size_t n, most; /* elements */
} pieces;

static pieces pieces_of(const egc_round_transfer *c, size_t round, const egc_round_message *out)
{
    size_t bytes = egc_element_bytes(c->engine->choice.round[round].element);
    double most = c->engine->config->options.piece_bytes / (double)bytes;
    size_t n = out->message.len / bytes;
    return (pieces){bytes, n, most < (double)n ? (size_t)fmax(1, most) : n};
}

static size_t first_of(const pieces *all, size_t piece)
{
    return piece * all->most;
}

static size_t count_of(const pieces *all, size_t piece)
{
    size_t left = all->n - first_of(all, piece);
    return left < all->most ? left : all->most;
}

static bool is_summed(const egc_round_transfer *c, size_t round)
{
    const egc_exchange_type *type = c->engine->choice.exchange[round]; /* NULL: of sparse sums */
    return type && type->kind == EGC_COLLECTIVE_ALLREDUCE;
}

size_t egc_round_transfer_pieces(const egc_round_transfer *c, uint64_t step, size_t round,
                                 size_t bucket)
{
    egc_round_message *out = egc_engine_message(c->engine, step, round, c->worker, bucket);
    if (!is_summed(c, round))
        return 1;
    pieces all = pieces_of(c, round, out);
    return all.n ? (all.n - 1) / all.most + 1 : 1;
}

double egc_round_transfer_bytes(const egc_round_transfer *c, uint64_t step, size_t round,
                                size_t bucket, size_t piece)
{
    egc_round_message *out = egc_engine_message(c->engine, step, round, c->worker, bucket);
    double bytes = 0;
    if (is_summed(c, round)) {
        pieces all = pieces_of(c, round, out);
        return (double)(count_of(&all, piece) * all.element_bytes);
    }
    for (size_t i = 0; i < egc_engine_pieces(c->engine, out); i++)
        bytes += (double)egc_round_message_piece(out, i)->len;
    return bytes;
}

/* ---- the sorts of exchanges ------------------------------------------------------------------ */

static egc_status reduce(egc_round_transfer *c, size_t round, egc_round_message *out, size_t piece,
                         egc_round_result *received, egc_error *err)
{
    egc_element element = c->engine->choice.round[round].element;
    pieces all = pieces_of(c, round, out);
    uint8_t *data = out->message.data; /* hollow: none */
    if (data)
        data += first_of(&all, piece) * all.element_bytes;
    *received = (egc_round_result){.messages = &out->message, .n_messages = 1, .reduced = true};
    return c->engine->choice.exchange[round]->reduce(c->transport, element, data,
                                                     count_of(&all, piece), &c->scratch, err);
}

static egc_status broadcast(egc_round_transfer *c, uint64_t step, size_t round,
                            egc_round_message *out, egc_round_result *received, egc_error *err)
{
    size_t leader = step % c->engine->n_workers;
    egc_buf *message = c->worker == leader ? &out->message : &c->broadcast;
    *received = (egc_round_result){.messages = message, .n_messages = 1};
    return c->engine->choice.exchange[round]->broadcast(c->transport, (int)leader, message,
                                                        &c->scratch, err);
}

/* On a hollow transport all know how long each message is. */
static void know_lengths(egc_round_transfer *c, uint64_t step, size_t round, size_t bucket)
{
    for (size_t w = 0; w < c->engine->n_workers; w++)
        c->gathered[w].len = egc_engine_message(c->engine, step, round, w, bucket)->message.len;
}

static egc_status copy(const egc_buf *from, egc_buf *to, egc_error *err)
{
    egc_buf_clear(to);
    return egc_buf_append(to, from->data, from->len, err);
}

egc_status egc_round_transfer_keep(egc_round_transfer *c, uint64_t step, size_t round,
                                   size_t bucket, egc_error *err)
{
    const egc_round_message *out = egc_engine_message(c->engine, step, round, c->worker, bucket);
    return copy(&out->message, &c->kept, err);
}

egc_status egc_round_transfer_restore(egc_round_transfer *c, uint64_t step, size_t round,
                                      size_t bucket, egc_error *err)
{
    egc_round_message *out = egc_engine_message(c->engine, step, round, c->worker, bucket);
    return copy(&c->kept, &out->message, err);
}

static egc_status exchange(egc_round_transfer *c, uint64_t step, size_t round, size_t bucket,
                           size_t piece, egc_round_message *out, egc_round_result *received,
                           egc_error *err)
{
    const egc_exchange_type *type = c->engine->choice.exchange[round];
    *received = (egc_round_result){.messages = c->gathered, .n_messages = c->engine->n_members};
    if (c->engine->size_only)
        know_lengths(c, step, round, bucket);
    switch (type->kind) {
    case EGC_COLLECTIVE_ALLREDUCE:
        return reduce(c, round, out, piece, received, err);
    case EGC_COLLECTIVE_BROADCAST:
        return broadcast(c, step, round, out, received, err);
    case EGC_COLLECTIVE_ALLTOALL:
        received->shard = c->worker;
        return type->scatter(c->transport, out->pieces, c->gathered, &c->scratch, err);
    case EGC_COLLECTIVE_ALLGATHER:
        break;
    }
    return type->gather(c->transport, out->message.data, out->message.len, c->gathered, &c->scratch,
                        err);
}

/* ---- sums of sparse messages ----------------------------------------------------------------- */

/* What is done on the way, and the device time it takes. */
typedef struct merging {
    egc_round_transfer *c;
    egc_merger *merger;
    uint64_t step;
} merging;

static void charge(const merging *m, size_t in_bytes, size_t out_bytes)
{
    double seconds = egc_compression_time_merge(m->c->engine, (double)in_bytes, (double)out_bytes);
    egc_actor_compute(m->c->world, (int)m->c->worker, seconds);
}

static egc_status sum(void *self, const egc_buf *a, const egc_buf *b, egc_buf *out, egc_error *err)
{
    const merging *m = self;
    size_t before = out->len;
    egc_status status = egc_merger_sum(m->merger, a, b, out, err);
    if (!status)
        charge(m, a->len + b->len, out->len - before);
    return status;
}

static egc_status keep(void *self, const egc_buf *message, egc_buf *out, egc_error *err)
{
    const merging *m = self;
    size_t before = out->len;
    egc_status status = egc_merger_keep(m->merger, m->step, message, out, err);
    if (!status)
        charge(m, message->len, out->len - before);
    return status;
}

static egc_status cut(void *self, const egc_buf *message, int part, int parts, egc_buf *out,
                      egc_error *err)
{
    const merging *m = self;
    size_t before = out->len;
    egc_status status = egc_merger_cut(m->merger, message, part, parts, out, err);
    if (!status) /* of which it need not read more than the part */
        charge(m, out->len - before, out->len - before);
    return status;
}

static egc_status sum_sparse(egc_round_transfer *c, uint64_t step, size_t bucket,
                             const egc_round_message *out, egc_round_result *received,
                             egc_error *err)
{
    static const egc_sparse_ops ops = {sum, keep, cut};
    const egc_sparse_type *type = c->engine->choice.sparse;
    merging m = {c, c->engine->mergers[bucket], step};
    const egc_sparse_call call = {c->transport, &ops, &m, c->gathered, &c->scratch};
    *received = (egc_round_result){
        .messages = c->gathered,
        .n_messages = type->many ? c->engine->n_workers : 1,
        .reduced = true,
    };
    egc_buf_clear(&c->opened);
    egc_status status = egc_merger_open(m.merger, &out->message, &c->opened, err);
    return status ? status : type->reduce(&call, &c->opened, err);
}

/* ---- what links can carry -------------------------------------------------------------------- */

static double least_bytes(const egc_round_transfer *c, size_t round, double bytes)
{
    const egc_exchange_type *type = c->engine->choice.exchange[round];
    int p = (int)c->engine->n_members;
    bool to_all =
        type && (type->kind == EGC_COLLECTIVE_ALLREDUCE || type->kind == EGC_COLLECTIVE_BROADCAST);
    return to_all ? egc_tuning_least_bytes(type->kind, p, bytes) : 0;
}

/* Takes note of one worker, and judges when the last one is through. bytes: what it sent or
 * received, which of gathered and scattered messages is the least there is. */
static egc_status pass(egc_round_transfer *c, size_t round, size_t bucket, double start_s,
                       double bytes, egc_error *err)
{
    const egc_exchange_choice *choice = &c->engine->choice;
    egc_transfer_check *passage = &c->engine->transfer_checks[bucket * choice->n_rounds + round];
    if (passage->finished == 0)
        *passage = (egc_transfer_check){.start_s = start_s};
    passage->start_s = fmin(passage->start_s, start_s);
    passage->end_s = egc_world_now(c->world);
    passage->bytes = fmax(passage->bytes, bytes);
    if (++passage->finished < c->engine->n_members)
        return EGC_OK;
    passage->finished = 0;
    double seconds = passage->end_s - passage->start_s;
    if (passage->bytes <= choice->host_Bps * (seconds * (1 + 1e-6) + 1e-9))
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_SIMULATION,
                    "exchange: %g bytes passed in %g s, more than the %g B/s of the fastest host: "
                    "the simulation is wrong",
                    passage->bytes, seconds, choice->host_Bps);
}

egc_status egc_round_transfer_run(egc_round_transfer *c, uint64_t step, size_t round, size_t bucket,
                                  size_t piece, egc_round_result *received, egc_error *err)
{
    egc_round_message *out = egc_engine_message(c->engine, step, round, c->worker, bucket);
    double start_s = egc_world_now(c->world);
    double sent = c->transport->sent_bytes, got = c->transport->recv_bytes;
    egc_status status = c->engine->choice.sparse
                            ? sum_sparse(c, step, bucket, out, received, err)
                            : exchange(c, step, round, bucket, piece, out, received, err);
    if (status)
        return status;
    double came = is_summed(c, round) ? egc_round_transfer_bytes(c, step, round, bucket, piece)
                                      : (double)received->messages[0].len;
    double bytes = fmax(c->transport->sent_bytes - sent, c->transport->recv_bytes - got);
    return pass(c, round, bucket, start_s, fmax(bytes, least_bytes(c, round, came)), err);
}
