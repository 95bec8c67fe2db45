/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "train/cost/compression_time.h"
#include "train/sync/sync.h"

/* The bucket whose turn it is. Where its message had to wait for other workers' that is told. */
static egc_status await_turn(sync_worker *w, egc_error *err)
{
    double idle_s = egc_world_now(w->run->world);
    w->bucket = egc_turns_take(w->turns, w->rank);
    double since_s = fmax(idle_s, w->progress[w->bucket].ready_s);
    if (since_s == egc_world_now(w->run->world))
        return EGC_OK;
    const egc_timeline_event event = sync_event(w, "wait", w->step, w->bucket);
    return egc_stream_tell(&w->communication, since_s, &event, err);
}

/* Sums are made in place: another try begins with the message that the first began with. */
static egc_status prepare_try(sync_worker *w, size_t b, egc_error *err)
{
    size_t round = w->progress[b].round;
    egc_status status = EGC_OK;
    if (w->survivors)
        status = w->kept ? egc_carrier_restore(&w->carrier, w->step, round, b, err)
                         : egc_carrier_keep(&w->carrier, w->step, round, b, err);
    w->kept = true;
    return status;
}

/* Exchanges the next piece of a bucket. */
static egc_status exchange(sync_worker *w, size_t b, egc_error *err)
{
    sync_progress *bucket = &w->progress[b];
    const egc_transport *transport = w->carrier.transport;
    const egc_route *route = &w->learning->route;
    double start = egc_world_now(w->run->world);
    egc_timeline_event event = sync_event(w, "exchange", w->step, b);
    event.exchange = route->sparse ? route->sparse->name : route->exchange[bucket->round]->name;
    event.piece = bucket->piece;
    event.n_pieces = egc_carrier_pieces(&w->carrier, w->step, bucket->round, b);
    event.message_bytes = egc_carrier_bytes(&w->carrier, w->step, bucket->round, b, bucket->piece);
    event.network_sent_bytes = -transport->sent_bytes;
    event.network_recv_bytes = -transport->recv_bytes;
    egc_status status =
        egc_carrier_run(&w->carrier, w->step, bucket->round, b, bucket->piece, &w->received, err);
    if (status)
        return egc_error_prefix(err, "step %llu: bucket %zu", (unsigned long long)w->step, b);
    event.network_sent_bytes += transport->sent_bytes;
    event.network_recv_bytes += transport->recv_bytes;
    sync_spent(w, w->step)->recv_bytes += event.network_recv_bytes;
    sync_spent(w, w->step)->comm_s += egc_world_now(w->run->world) - start;
    bucket->piece = bucket->piece + 1 < event.n_pieces ? bucket->piece + 1 : 0;
    return egc_stream_tell(&w->communication, start, &event, err);
}

egc_status sync_accept_round(sync_worker *w, size_t b, egc_error *err)
{
    sync_progress *bucket = &w->progress[b];
    egc_status status =
        egc_learning_take(w->learning, w->step, bucket->round, b, &w->received, err);
    w->kept = false;
    bucket->stage = SYNC_DELIVERED;
    bucket->seconds = egc_charge_delivery(w->learning, bucket->round, b, &w->received);
    return status;
}

static egc_status take_turn(sync_worker *w, egc_error *err)
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
        sync_set_ready(w, b);
        return EGC_OK;
    }
    if (w->survivors)
        egc_survivors_commit(w->survivors, &w->n_through);
    status = sync_accept_round(w, b, err);
    if (!status && sync_has_compression(w)) {
        egc_stream_give(&w->compression, (egc_task){w->step, b, true});
        w->left--;
    }
    return status;
}

/* Whether the bucket it last exchanged is still the communication stream's to work on. */
static bool has_work(const sync_worker *w)
{
    sync_stage at = w->progress[w->bucket].stage;
    return !sync_has_compression(w) && (at == SYNC_DELIVERED || at == SYNC_MADE);
}

static egc_status exchange_buckets(sync_worker *w, egc_error *err)
{
    egc_status status = EGC_OK;
    while (w->left > 0 && !status) {
        if (!has_work(w)) {
            status = take_turn(w, err);
            continue;
        }
        status = sync_end_round(w, &w->communication, w->step, w->bucket, err);
        w->left -= !status;
    }
    return status;
}

static void await_step(sync_worker *w)
{
    egc_gate_wait(w->begun);
    if (!egc_repeat_of(&w->run->repeat, w->step, w->rank))
        w->left = w->learning->plan.n_buckets * w->learning->route.n_rounds;
}

egc_status sync_communication_stream(void *arg, egc_error *err)
{
    sync_worker *w = arg;
    egc_status status = EGC_OK;
    uint64_t steps = (uint64_t)sync_options(w)->steps;
    while (w->step < steps && !status) {
        if (w->left == 0)
            await_step(w);
        status = exchange_buckets(w, err);
        w->step += !status;
    }
    return w->survivors ? egc_survivors_judge(w->survivors, status) : status;
}
