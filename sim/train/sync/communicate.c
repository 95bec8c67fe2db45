/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The communication stream of a worker: it takes buckets in the exchange order, runs the collective
 * of each round over the transport, and hands the results to the decoder. */
#include <math.h>

#include "train/sync/sync.h"

/* Waits for the next bucket in the exchange order. Logs a wait if its message was ready before. */
static egc_status await_turn(egc_sync_worker *w, egc_error *err)
{
    double idle_s = egc_world_now(w->run->world);
    w->bucket = egc_exchange_order_next(w->order, w->rank);
    double since_s = fmax(idle_s, w->progress[w->bucket].ready_s);
    if (since_s == egc_world_now(w->run->world))
        return EGC_OK;
    const egc_timeline_event event = egc_sync_event(w, "wait", w->step, w->bucket);
    return egc_stream_log_event(&w->communication, since_s, &event, err);
}

static egc_round_piece next_piece(const egc_sync_worker *w, size_t b)
{
    const egc_sync_progress *bucket = &w->progress[b];
    return (egc_round_piece){w->step, bucket->round, b, bucket->piece};
}

/* Sums are made in place: each try begins with the message of the first. */
static egc_status prepare_try(egc_sync_worker *w, size_t b, egc_error *err)
{
    const egc_round_piece at = next_piece(w, b);
    bool retry = w->kept;
    w->kept = true;
    return w->failover ? egc_round_transfer_prepare(&w->transfer, &at, retry, err) : EGC_OK;
}

/* Exchanges the next piece of a bucket. */
static egc_status exchange(egc_sync_worker *w, size_t b, egc_error *err)
{
    egc_sync_progress *bucket = &w->progress[b];
    const egc_transport *transport = w->transfer.transport;
    const egc_exchange_choice *choice = &w->engine->choice;
    const egc_round_piece at = next_piece(w, b);
    double start = egc_world_now(w->run->world);
    egc_timeline_event event = egc_sync_event(w, "exchange", w->step, b);
    event.exchange = choice->sparse ? choice->sparse->name : choice->exchange[bucket->round]->name;
    event.piece = bucket->piece;
    event.n_pieces = egc_round_transfer_pieces(&w->transfer, &at);
    event.message_bytes = egc_round_transfer_bytes(&w->transfer, &at);
    event.network_sent_bytes = -transport->sent_bytes;
    event.network_recv_bytes = -transport->recv_bytes;
    egc_status status = egc_round_transfer_run(&w->transfer, &at, &w->received, err);
    if (status)
        return egc_error_prefix(err, "step %llu: bucket %zu", (unsigned long long)w->step, b);
    event.network_sent_bytes += transport->sent_bytes;
    event.network_recv_bytes += transport->recv_bytes;
    egc_sync_times(w, w->step)->recv_bytes += event.network_recv_bytes;
    egc_sync_times(w, w->step)->comm_s += egc_world_now(w->run->world) - start;
    bucket->piece = bucket->piece + 1 < event.n_pieces ? bucket->piece + 1 : 0;
    return egc_stream_log_event(&w->communication, start, &event, err);
}

egc_status egc_sync_communicate_accept_round(egc_sync_worker *w, size_t b, egc_error *err)
{
    egc_sync_progress *bucket = &w->progress[b];
    egc_status status = egc_engine_decode(w->engine, w->step, bucket->round, b, &w->received, err);
    w->kept = false;
    bucket->stage = EGC_SYNC_DELIVERED;
    bucket->seconds = egc_engine_decode_time(w->engine, bucket->round, b, &w->received);
    return status;
}

static egc_status take_turn(egc_sync_worker *w, egc_error *err)
{
    egc_status status = await_turn(w, err);
    size_t b = w->bucket;
    if (!status)
        status = prepare_try(w, b, err);
    if (!status)
        status = exchange(w, b, err);
    if (status)
        return status;
    if (w->progress[b].piece > 0) {
        egc_sync_coding_set_ready(w, b);
        return EGC_OK;
    }
    if (w->failover)
        egc_failover_commit(w->failover, &w->n_through);
    status = egc_sync_communicate_accept_round(w, b, err);
    if (!status && egc_sync_has_compression(w)) {
        egc_stream_post(&w->compression, (egc_task){w->step, b, true});
        w->left--;
    }
    return status;
}

/* True if the bucket last exchanged still has work for the communication stream. */
static bool has_work(const egc_sync_worker *w)
{
    egc_sync_stage at = w->progress[w->bucket].stage;
    return !egc_sync_has_compression(w) && (at == EGC_SYNC_DELIVERED || at == EGC_SYNC_MADE);
}

static egc_status exchange_buckets(egc_sync_worker *w, egc_error *err)
{
    egc_status status = EGC_OK;
    while (w->left > 0 && !status) {
        if (!has_work(w)) {
            status = take_turn(w, err);
            continue;
        }
        status = egc_sync_coding_end_round(w, &w->communication, w->step, w->bucket, err);
        w->left -= !status;
    }
    return status;
}

static void await_step(egc_sync_worker *w)
{
    egc_semaphore_wait(w->begun);
    if (!egc_steady_state_times(&w->run->steady, w->step, w->rank))
        w->left = w->engine->partition.n_buckets * w->engine->choice.n_rounds;
}

egc_status egc_sync_communicate_stream(void *arg, egc_error *err)
{
    egc_sync_worker *w = arg;
    egc_status status = EGC_OK;
    uint64_t steps = (uint64_t)egc_sync_options(w)->steps;
    while (w->step < steps && !status) {
        if (w->left == 0)
            await_step(w);
        status = exchange_buckets(w, err);
        w->step += !status;
    }
    return w->failover ? egc_failover_handle(w->failover, status) : status;
}
