/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One case per kind of collective, and exchanges of sparse sums, whose merging is charged to the
 * device while it takes place. Without bytes (size_only) the lengths alone are transferred. */
#include "train/sync/round_transfer.h"

#include <math.h>

#include "base/mem.h"
#include "exchange/tuning.h"
#include "train/cost/compression_time.h"

egc_status egc_round_transfer_init(egc_round_transfer *transfer, egc_engine *engine, size_t worker,
                                   egc_world *world, egc_transport *transport, egc_error *err)
{
    size_t bytes = engine->n_workers * sizeof *transfer->gathered;
    *transfer = (egc_round_transfer){
        .world = world,
        .transport = transport,
        .engine = engine,
        .worker = worker,
        .gathered = egc_calloc(1, bytes),
        .scratch = {.group = engine->choice.group},
    };
    return transfer->gathered ? EGC_OK : egc_fail_memory(err, bytes);
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

static egc_round_message *own_message(const egc_round_transfer *t, const egc_round_piece *at)
{
    return egc_engine_message(t->engine, at->step, at->round, t->worker, at->bucket);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* The pieces of a dense vector that is summed: all but the last are `most` elements long. */
typedef struct pieces {
    size_t element_bytes;
    size_t n, most; /* elements */
} pieces;

static pieces pieces_of(const egc_round_transfer *t, const egc_round_piece *at)
{
    size_t bytes = egc_element_bytes(t->engine->choice.round[at->round].element);
    double most = t->engine->config->options.piece_bytes / (double)bytes;
    size_t n = own_message(t, at)->message.len / bytes;
    return (pieces){bytes, n, most < (double)n ? (size_t)fmax(1, most) : n};
}

static size_t count_of(const pieces *all, size_t piece)
{
    size_t left = all->n - piece * all->most;
    return left < all->most ? left : all->most;
}

static bool is_dense_sum(const egc_round_transfer *t, size_t round)
{
    const egc_exchange_type *type = t->engine->choice.exchange[round]; /* NULL: sparse sums */
    return type && type->kind == EGC_COLLECTIVE_ALLREDUCE;
}

size_t egc_round_transfer_pieces(const egc_round_transfer *t, const egc_round_piece *at)
{
    if (!is_dense_sum(t, at->round))
        return 1;
    pieces all = pieces_of(t, at);
    return all.n ? (all.n - 1) / all.most + 1 : 1;
}

double egc_round_transfer_bytes(const egc_round_transfer *t, const egc_round_piece *at)
{
    egc_round_message *out = own_message(t, at);
    double bytes = 0;
    if (is_dense_sum(t, at->round)) {
        pieces all = pieces_of(t, at);
        return (double)(count_of(&all, at->piece) * all.element_bytes);
    }
    for (size_t i = 0; i < egc_engine_pieces(t->engine, out); i++)
        bytes += (double)egc_round_message_piece(out, i)->len;
    return bytes;
}

egc_status egc_round_transfer_prepare(egc_round_transfer *t, const egc_round_piece *at, bool retry,
                                      egc_error *err)
{
    egc_buf *message = &own_message(t, at)->message;
    egc_buf *from = retry ? &t->kept : message, *to = retry ? message : &t->kept;
    egc_buf_clear(to);
    return egc_buf_append(to, from->data, from->len, err);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static egc_status all_reduce(egc_round_transfer *t, const egc_round_piece *at,
                             egc_round_result *result, egc_error *err)
{
    egc_buf *message = &own_message(t, at)->message;
    pieces all = pieces_of(t, at);
    uint8_t *data = message->data; /* NULL if size_only */
    if (data)
        data += at->piece * all.most * all.element_bytes;
    *result = (egc_round_result){.messages = message, .n_messages = 1, .reduced = true};
    return egc_exchange_allreduce(t->engine->choice.exchange[at->round], t->transport,
                                  t->engine->choice.round[at->round].element, data,
                                  count_of(&all, at->piece), &t->scratch, err);
}

static egc_status broadcast(egc_round_transfer *t, const egc_round_piece *at,
                            egc_round_result *result, egc_error *err)
{
    size_t leader = at->step % t->engine->n_workers;
    egc_buf *message = t->worker == leader ? &own_message(t, at)->message : &t->broadcast;
    *result = (egc_round_result){.messages = message, .n_messages = 1};
    return egc_exchange_broadcast(t->engine->choice.exchange[at->round], t->transport, (int)leader,
                                  message, &t->scratch, err);
}

static egc_status exchange(egc_round_transfer *t, const egc_round_piece *at,
                           egc_round_result *result, egc_error *err)
{
    const egc_exchange_type *type = t->engine->choice.exchange[at->round];
    const egc_round_message *out = own_message(t, at);
    *result = (egc_round_result){.messages = t->gathered, .n_messages = t->engine->n_members};
    for (size_t w = 0; t->engine->size_only && w < t->engine->n_workers; w++)
        t->gathered[w].len =
            egc_engine_message(t->engine, at->step, at->round, w, at->bucket)->message.len;
    switch (type->kind) {
    case EGC_COLLECTIVE_ALLREDUCE:
        return all_reduce(t, at, result, err);
    case EGC_COLLECTIVE_BROADCAST:
        return broadcast(t, at, result, err);
    case EGC_COLLECTIVE_ALLTOALL:
        result->shard = t->worker;
        return egc_exchange_alltoall(type, t->transport, out->pieces, t->gathered, &t->scratch,
                                     err);
    case EGC_COLLECTIVE_ALLGATHER:
        break;
    }
    return egc_exchange_allgather(type, t->transport, out->message.data, out->message.len,
                                  t->gathered, &t->scratch, err);
}

/* ---- sums of sparse messages ----------------------------------------------------------------- */

/* The operations of an exchange of sparse sums. */
typedef struct merging {
    egc_round_transfer *t;
    egc_merger *merger;
    uint64_t step;
} merging;

/* Charges an operation that succeeded; returns its status. */
static egc_status charge(const merging *m, egc_status status, size_t in_bytes, size_t out_bytes)
{
    if (!status)
        egc_actor_compute(
            m->t->world, (int)m->t->worker,
            egc_compression_time_merge(m->t->engine->config, (double)in_bytes, (double)out_bytes));
    return status;
}

static egc_status sum(void *self, const egc_buf *a, const egc_buf *b, egc_buf *out, egc_error *err)
{
    const merging *m = self;
    size_t before = out->len;
    egc_status status = egc_merger_sum(m->merger, a, b, out, err);
    return charge(m, status, a->len + b->len, out->len - before);
}

static egc_status keep(void *self, const egc_buf *message, egc_buf *out, egc_error *err)
{
    const merging *m = self;
    size_t before = out->len;
    egc_status status = egc_merger_keep(m->merger, m->step, message, out, err);
    return charge(m, status, message->len, out->len - before);
}

/* Reads no more than the part. */
static egc_status cut(void *self, const egc_buf *message, int part, int parts, egc_buf *out,
                      egc_error *err)
{
    const merging *m = self;
    size_t before = out->len;
    egc_status status = egc_merger_cut(m->merger, message, part, parts, out, err);
    return charge(m, status, out->len - before, out->len - before);
}

static egc_status sum_sparse(egc_round_transfer *t, const egc_round_piece *at,
                             egc_round_result *result, egc_error *err)
{
    static const egc_sparse_ops ops = {sum, keep, cut};
    const egc_sparse_type *type = t->engine->choice.sparse;
    merging m = {t, t->engine->mergers[at->bucket], at->step};
    const egc_sparse_call call = {t->transport, &ops, &m, t->gathered, &t->scratch};
    *result = (egc_round_result){
        .messages = t->gathered,
        .n_messages = type->many ? t->engine->n_workers : 1,
        .reduced = true,
    };
    egc_buf_clear(&t->opened);
    egc_status status = egc_merger_open(m.merger, &own_message(t, at)->message, &t->opened, err);
    return status ? status : type->reduce(&call, &t->opened, err);
}

/* ---- the check against the links ------------------------------------------------------------- */

/* A lower bound of the bytes that some worker sent or received: the bytes of this one, and the
 * least that a vector needs to reach all. */
static double bytes_of(const egc_round_transfer *t, const egc_round_piece *at, double moved,
                       const egc_round_result *result)
{
    const egc_exchange_type *type = t->engine->choice.exchange[at->round];
    bool dense = is_dense_sum(t, at->round);
    if (!type || !(dense || type->kind == EGC_COLLECTIVE_BROADCAST))
        return moved;
    double vector = dense ? egc_round_transfer_bytes(t, at) : (double)result->messages[0].len;
    return fmax(moved, egc_tuning_least_bytes(type->kind, (int)t->engine->n_members, vector));
}

/* Adds one worker to the check of the exchange, and checks when the last one has ended. */
static egc_status check(const egc_round_transfer *t, const egc_round_piece *at, double start_s,
                        double bytes, egc_error *err)
{
    const egc_exchange_choice *choice = &t->engine->choice;
    egc_transfer_check *sum =
        &t->engine->transfer_checks[at->bucket * choice->n_rounds + at->round];
    if (sum->finished == 0)
        *sum = (egc_transfer_check){.start_s = start_s};
    sum->start_s = fmin(sum->start_s, start_s);
    sum->end_s = egc_world_now(t->world);
    sum->bytes = fmax(sum->bytes, bytes);
    if (++sum->finished < t->engine->n_members)
        return EGC_OK;
    sum->finished = 0;
    double seconds = sum->end_s - sum->start_s;
    if (sum->bytes <= choice->host_Bps * (seconds * (1 + 1e-6) + 1e-9))
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_SIMULATION,
                    "exchange: %g bytes passed in %g s, more than the %g B/s of the fastest host: "
                    "the simulation is wrong",
                    sum->bytes, seconds, choice->host_Bps);
}

egc_status egc_round_transfer_run(egc_round_transfer *t, const egc_round_piece *at,
                                  egc_round_result *result, egc_error *err)
{
    double start_s = egc_world_now(t->world);
    double sent = t->transport->sent_bytes, received = t->transport->recv_bytes;
    egc_status status =
        t->engine->choice.sparse ? sum_sparse(t, at, result, err) : exchange(t, at, result, err);
    if (status)
        return status;
    double moved = fmax(t->transport->sent_bytes - sent, t->transport->recv_bytes - received);
    return check(t, at, start_s, bytes_of(t, at, moved, result), err);
}
