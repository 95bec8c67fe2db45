/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The synchronous training algorithm (EGC-DSGD): every worker, every step.
 *
 * Each worker is two or three actors on one host, its streams (stream.h). The compute stream runs
 * the forward pass, then the backward pass bucket by bucket. The communication stream exchanges
 * buckets whose gradients are there, round after round of each, in an order that all workers have
 * in common (turns.h). Who compresses and decompresses is compress_on's to say:
 *
 *   compute  The compute stream compresses each bucket before it goes on with the backward pass.
 *            The communication stream decompresses, and compresses for later rounds, before it
 *            exchanges anything else.
 *   stream   A compression stream does all that, in the order in which it comes up, while the
 *            others go on: one bucket is compressed while another is exchanged.
 *
 * With schedule = fifo the next step begins when all buckets have come back. With priority it
 * begins at once, and the forward pass of a bucket's layers waits for that bucket only (P3:
 * Jayarajan et al., MLSys 2019; ByteScheduler: Peng et al., SOSP 2019). What is learnt is the same:
 * a layer computes with parameters to which the step before has been applied. A step's time is
 * then from the end of one backward pass to that of the next, the last one's to its last bucket.
 *
 * With on_failure = drop communication streams are ended when a worker is lost, and begun anew
 * without it (survivors.h). All that such a stream needs to go on is in its worker: `step`, `left`,
 * and the progress of each bucket. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "net/subgroup.h"
#include "train/algorithm.h"
#include "train/carrier.h"
#include "train/charge.h"
#include "train/run.h"
#include "train/stream.h"
#include "train/survivors.h"
#include "train/turns.h"

typedef enum stage {
    STAGE_ABSENT,    /* the message of its round is not made, or not compressed */
    STAGE_READY,     /* to be exchanged */
    STAGE_DELIVERED, /* to be decompressed */
    STAGE_MADE,      /* a later round's message is made, and to be compressed */
} stage;

/* How far a bucket has come in its step. */
typedef struct progress {
    size_t round, piece; /* to be exchanged next */
    stage stage;
    double seconds; /* of device time, to take in what was delivered */
    double ready_s; /* since when it could be, as far as this worker is concerned */
    egc_gate *back; /* one signal when it has come back */
} progress;

typedef struct worker {
    egc_run *run;
    egc_learning *learning; /* the run's */
    size_t rank;
    egc_carrier carrier;
    egc_stream compute, compression, communication, cycle;
    egc_gate *begun;  /* one signal for each step */
    uint64_t n_begun; /* signals so far */
    uint64_t step;    /* the communication stream's */
    size_t left;      /* exchanges of rounds that have yet to end in it; 0: it has yet to begin */
    size_t bucket;    /* in the communication stream's hands */
    egc_received received;
    double backward_s;  /* when the backward pass under way began */
    egc_turns *turns;   /* shared */
    progress *progress; /* of each bucket */
    egc_span *busy;     /* compressing and decompressing in the step under way: see busy_slot */
    egc_tally spent[2]; /* on even and odd steps: with priority two are under way */

    egc_survivors *survivors; /* shared; NULL: a loss ends the run */
    egc_subgroup group;       /* the transport among them, once there was one */
    uint64_t n_through;       /* exchanges that this worker knows to count */
    bool kept;                /* the message of an exchange that was begun and has yet to count */
    egc_gate *stale;          /* what `begun` was while streams are ended */
} worker;

static const egc_training_options *options_of(const worker *w)
{
    return &w->learning->config->options;
}

static bool has_compression_stream(const worker *w)
{
    return options_of(w)->compress_on == EGC_COMPRESS_ON_STREAM;
}

static bool by_priority(const worker *w)
{
    return options_of(w)->schedule == EGC_SCHEDULE_PRIORITY;
}

static bool fuses(const worker *w)
{
    return options_of(w)->bucket_bytes == EGC_BUCKET_FUSION;
}

static egc_tally *spent_on(worker *w, uint64_t step)
{
    return &w->spent[step % 2];
}

/* Two for each round of each bucket: compressing and decompressing. */
static size_t busy_slots(const egc_learning *learning)
{
    return 2 * learning->plan.n_buckets * learning->route.n_rounds;
}

static egc_span *busy_slot(const worker *w, size_t b, bool delivered)
{
    return &w->busy[2 * (b * w->learning->route.n_rounds + w->progress[b].round) + delivered];
}

static egc_timeline_event event_of(const worker *w, const char *name, uint64_t step, size_t b)
{
    return (egc_timeline_event){
        .name = name,
        .step = step,
        .layers = w->learning->plan.buckets[b].layers,
        .bucket = b,
        .round = w->progress[b].round,
    };
}

/* ---- compressing and decompressing, on whichever stream ------------------------------------- */

/* Charges the stream for the message of the bucket's round, which is made already. */
static egc_status compress(worker *w, const egc_stream *stream, uint64_t step, size_t b,
                           egc_error *err)
{
    double seconds = egc_charge_message(w->learning, step, w->progress[b].round, w->rank, b);
    const egc_timeline_event event = event_of(w, "compress", step, b);
    egc_span *when = busy_slot(w, b, false);
    egc_status status = egc_stream_work(stream, seconds, &event, when, err);
    spent_on(w, step)->compress_s += when->end_s - when->start_s;
    return status;
}

static egc_status decompress(worker *w, const egc_stream *stream, uint64_t step, size_t b,
                             double seconds, egc_error *err)
{
    const egc_timeline_event event = event_of(w, "decompress", step, b);
    egc_span *when = busy_slot(w, b, true);
    egc_status status = egc_stream_work(stream, seconds, &event, when, err);
    spent_on(w, step)->decompress_s += when->end_s - when->start_s;
    return status;
}

static void set_ready(worker *w, size_t b)
{
    w->progress[b].stage = STAGE_READY;
    w->progress[b].ready_s = egc_world_now(w->run->world);
    egc_turns_ready(w->turns, b);
}

/* The first message of a bucket is made. */
static void offer(worker *w, uint64_t step, size_t b)
{
    if (fuses(w))
        egc_stream_give(&w->cycle, (egc_task){.step = step, .bucket = b});
    else
        set_ready(w, b);
}

/* Tensor fusion: what is ready goes out at the end of the cycle. */
static egc_status fusion_cycle(void *arg, egc_error *err)
{
    (void)err;
    worker *w = arg;
    double cycle_s = options_of(w)->cycle_s;
    egc_task task;
    while (egc_stream_take(&w->cycle, &task)) {
        double since_s = egc_world_now(w->run->world) - w->backward_s;
        egc_world_sleep(w->run->world,
                        fmax(0, egc_plan_cycle(since_s, cycle_s) * cycle_s - since_s));
        set_ready(w, task.bucket);
    }
    return EGC_OK;
}

/* What a round of the bucket delivered is decompressed: it is back, or its next message made. */
static egc_status take_in(worker *w, const egc_stream *stream, uint64_t step, size_t b,
                          egc_error *err)
{
    progress *bucket = &w->progress[b];
    egc_status status = decompress(w, stream, step, b, bucket->seconds, err);
    if (status)
        return status;
    if (++bucket->round == w->learning->route.n_rounds) {
        bucket->round = 0;
        bucket->stage = STAGE_ABSENT;
        egc_gate_signal(bucket->back);
        return EGC_OK;
    }
    bucket->stage = STAGE_MADE;
    return egc_learning_make_message(w->learning, step, bucket->round, w->rank, b, err);
}

/* A round of the bucket came: on to its next. */
static egc_status end_round(worker *w, const egc_stream *stream, uint64_t step, size_t b,
                            egc_error *err)
{
    progress *bucket = &w->progress[b];
    egc_status status = EGC_OK;
    if (bucket->stage == STAGE_DELIVERED)
        status = take_in(w, stream, step, b, err);
    if (status || bucket->stage != STAGE_MADE)
        return status;
    status = compress(w, stream, step, b, err);
    if (!status)
        set_ready(w, b);
    return status;
}

static egc_status do_task(worker *w, const egc_task *task, egc_error *err)
{
    if (task->delivered)
        return end_round(w, &w->compression, task->step, task->bucket, err);
    egc_status status = compress(w, &w->compression, task->step, task->bucket, err);
    if (!status)
        offer(w, task->step, task->bucket);
    return status;
}

/* Each bucket of a step is a task once for its first message, and once for each round that came. */
static egc_status compression_stream(void *arg, egc_error *err)
{
    worker *w = arg;
    egc_status status = EGC_OK;
    egc_task task;
    while (!status && egc_stream_take(&w->compression, &task))
        status = do_task(w, &task, err);
    return status;
}

/* ---- the compute stream: waiting ------------------------------------------------------------ */

/* How much compressing and decompressing there was between two times. */
static double busy_between(const worker *w, double from_s, double to_s)
{
    double total = 0;
    for (size_t i = 0; i < busy_slots(w->learning); i++)
        total += fmax(0, fmin(w->busy[i].end_s, to_s) - fmax(w->busy[i].start_s, from_s));
    return total;
}

/* Waits, in a step's time, for n buckets from `first` on. Adds to *waited_s how long. */
static egc_status await(worker *w, size_t first, size_t n, const egc_timeline_event *event,
                        double *waited_s, egc_error *err)
{
    double start = egc_world_now(w->run->world);
    for (size_t b = first; b < first + n; b++)
        egc_gate_wait(w->progress[b].back);
    double end = egc_world_now(w->run->world);
    spent_on(w, event->step)->exposed_comm_s += fmax(0, end - start - busy_between(w, start, end));
    *waited_s += end - start;
    return end > start ? egc_stream_tell(&w->compute, start, event, err) : EGC_OK;
}

static egc_status await_all(worker *w, uint64_t step, egc_error *err)
{
    double waited_s = 0;
    const egc_timeline_event event = {.name = "wait", .step = step};
    return await(w, 0, w->learning->plan.n_buckets, &event, &waited_s, err);
}

/* Of the step before `step`. */
static egc_status await_bucket(worker *w, uint64_t step, size_t b, double *waited_s, egc_error *err)
{
    const egc_timeline_event event = event_of(w, "wait", step, b);
    return await(w, b, 1, &event, waited_s, err);
}

/* All buckets of a step have come back. */
static egc_status finish_step(worker *w, uint64_t step, egc_error *err)
{
    egc_tally_add(egc_run_tally(w->run, step), spent_on(w, step));
    return egc_run_finish_step(w->run, step, err);
}

/* Learning begins a step: the communication stream may know now whether it is repeated. */
static egc_status begin_step(worker *w, uint64_t step, egc_error *err)
{
    egc_status status = egc_run_begin_step(w->run, step, err);
    if (status)
        return status;
    w->n_begun++;
    egc_gate_signal(w->begun);
    return EGC_OK;
}

/* ---- the compute stream: a step ------------------------------------------------------------- */

static egc_status forward(worker *w, uint64_t step, egc_error *err)
{
    egc_span when;
    const egc_timeline_event event = {.name = "forward", .step = step};
    return egc_stream_work(&w->compute, w->learning->plan.forward_s, &event, &when, err);
}

/* Bucket by bucket, as those of the step before come back. The last to be needed is the last back:
 * gradients, which begin a step of learning, depend on all of them. */
static egc_status forward_by_bucket(worker *w, uint64_t step, double *waited_s, egc_error *err)
{
    const egc_plan *plan = &w->learning->plan;
    egc_status status = EGC_OK;
    egc_span when;
    for (size_t b = plan->n_buckets; b-- > 0 && !status;) {
        const egc_timeline_event event = event_of(w, "forward", step, b);
        if (step > 0)
            status = await_bucket(w, step, b, waited_s, err);
        if (!status && step > 0 && b == 0)
            status = finish_step(w, step - 1, err);
        if (!status)
            status = egc_stream_work(&w->compute, plan->buckets[b].forward_s, &event, &when, err);
    }
    return status ? status : begin_step(w, step, err);
}

/* A bucket's gradients are there, and compressed where this stream does that. */
static void hand_over(worker *w, uint64_t step, size_t b)
{
    if (has_compression_stream(w))
        egc_stream_give(&w->compression, (egc_task){.step = step, .bucket = b});
    else
        offer(w, step, b);
}

/* Adds the time to *compressed_s that this stream compressed. */
static egc_status backward(worker *w, uint64_t step, double *compressed_s, egc_error *err)
{
    const egc_plan *plan = &w->learning->plan;
    bool overlap = options_of(w)->overlap;
    egc_status status = EGC_OK;
    egc_span when;
    w->backward_s = egc_world_now(w->run->world);
    for (size_t b = 0; b < plan->n_buckets && !status; b++) {
        const egc_timeline_event event = event_of(w, "backward", step, b);
        status = egc_stream_work(&w->compute, plan->buckets[b].backward_s, &event, &when, err);
        if (!status && !has_compression_stream(w)) {
            status = compress(w, &w->compute, step, b, err);
            *compressed_s += busy_slot(w, b, false)->end_s - busy_slot(w, b, false)->start_s;
        }
        if (!status && overlap)
            hand_over(w, step, b);
    }
    for (size_t i = 0; i < plan->n_buckets && !status && !overlap; i++)
        hand_over(w, step, by_priority(w) ? plan->n_buckets - 1 - i : i);
    return status;
}

/* Forward and backward pass, and the wait for all buckets unless the next step may begin. */
static egc_status simulate_step(worker *w, uint64_t step, egc_error *err)
{
    bool waits = !by_priority(w) || step + 1 == (uint64_t)options_of(w)->steps;
    egc_tally *spent = spent_on(w, step);
    double start = egc_world_now(w->run->world), waited_s = 0, compressed_s = 0;
    *spent = (egc_tally){0};
    egc_world_begin_step(w->run->world, (int)w->rank, step);
    egc_status status =
        by_priority(w) ? forward_by_bucket(w, step, &waited_s, err) : forward(w, step, err);
    if (!status)
        status = backward(w, step, &compressed_s, err);
    spent->compute_s = egc_world_now(w->run->world) - start - compressed_s - waited_s;
    if (!status && waits)
        status = await_all(w, step, err);
    spent->step_s = egc_world_now(w->run->world) - start;
    return status;
}

/* Like a step that was simulated before: only what is learnt is new. */
static egc_status repeat_step(worker *w, uint64_t step, const egc_worker_step *before,
                              egc_error *err)
{
    const egc_received received = {0}; /* hollow runs have what they sent */
    const egc_timeline_event event = {.name = "repeat", .step = step};
    double start = egc_world_now(w->run->world);
    *spent_on(w, step) = before->tally;
    egc_world_sleep(w->run->world, before->end_s - before->start_s);
    egc_status status = egc_stream_tell(&w->compute, start, &event, err);
    for (size_t b = 0; b < w->learning->plan.n_buckets && !status; b++)
        status = egc_learning_take(w->learning, step, 0, b, &received, err);
    return status;
}

/* A step that ends when all buckets are back, and so may be repeated. */
static egc_status compute_step(worker *w, uint64_t step, egc_error *err)
{
    egc_repeat *repeat = &w->run->repeat;
    egc_worker_step took = {.start_s = egc_world_now(w->run->world)};
    egc_status status = begin_step(w, step, err);
    if (status)
        return status;
    const egc_worker_step *before = egc_repeat_of(repeat, step, w->rank);
    egc_worker_step *note = before ? NULL : egc_repeat_note(repeat, step, w->rank);
    if (note)
        *note = took;
    status = before ? repeat_step(w, step, before, err) : simulate_step(w, step, err);
    took.end_s = egc_world_now(w->run->world);
    took.tally = *spent_on(w, step);
    if (note)
        *note = took;
    return status ? status : finish_step(w, step, err);
}

static egc_status compute_stream(void *arg, egc_error *err)
{
    worker *w = arg;
    egc_status status = EGC_OK;
    uint64_t steps = (uint64_t)options_of(w)->steps;
    for (uint64_t step = 0; step < steps && !status; step++)
        status = by_priority(w) ? simulate_step(w, step, err) : compute_step(w, step, err);
    if (!status && by_priority(w))
        status = finish_step(w, steps - 1, err);
    egc_stream_end(&w->compression);
    egc_stream_end(&w->cycle);
    return status;
}

/* ---- the communication stream --------------------------------------------------------------- */

/* The bucket whose turn it is. Where its message had to wait for other workers' that is told. */
static egc_status await_turn(worker *w, egc_error *err)
{
    double idle_s = egc_world_now(w->run->world);
    w->bucket = egc_turns_take(w->turns, w->rank);
    double since_s = fmax(idle_s, w->progress[w->bucket].ready_s);
    if (since_s == egc_world_now(w->run->world))
        return EGC_OK;
    const egc_timeline_event event = event_of(w, "wait", w->step, w->bucket);
    return egc_stream_tell(&w->communication, since_s, &event, err);
}

/* Sums are made in place: another try begins with the message that the first began with. */
static egc_status prepare_try(worker *w, size_t b, egc_error *err)
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
static egc_status exchange(worker *w, size_t b, egc_error *err)
{
    progress *bucket = &w->progress[b];
    const egc_transport *transport = w->carrier.transport;
    const egc_route *route = &w->learning->route;
    double start = egc_world_now(w->run->world);
    egc_timeline_event event = event_of(w, "exchange", w->step, b);
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
    spent_on(w, w->step)->recv_bytes += event.network_recv_bytes;
    spent_on(w, w->step)->comm_s += egc_world_now(w->run->world) - start;
    bucket->piece = bucket->piece + 1 < event.n_pieces ? bucket->piece + 1 : 0;
    return egc_stream_tell(&w->communication, start, &event, err);
}

/* A round of the bucket came whole. */
static egc_status accept_round(worker *w, size_t b, egc_error *err)
{
    progress *bucket = &w->progress[b];
    egc_status status =
        egc_learning_take(w->learning, w->step, bucket->round, b, &w->received, err);
    w->kept = false;
    bucket->stage = STAGE_DELIVERED;
    bucket->seconds = egc_charge_delivery(w->learning, bucket->round, b, &w->received);
    return status;
}

static egc_status take_turn(worker *w, egc_error *err)
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
        set_ready(w, b);
        return EGC_OK;
    }
    if (w->survivors)
        egc_survivors_commit(w->survivors, &w->n_through);
    status = accept_round(w, b, err);
    if (!status && has_compression_stream(w)) {
        egc_stream_give(&w->compression, (egc_task){w->step, b, true});
        w->left--;
    }
    return status;
}

/* Whether the bucket it last exchanged is still the communication stream's to work on. */
static bool has_work(const worker *w)
{
    stage at = w->progress[w->bucket].stage;
    return !has_compression_stream(w) && (at == STAGE_DELIVERED || at == STAGE_MADE);
}

static egc_status exchange_buckets(worker *w, egc_error *err)
{
    egc_status status = EGC_OK;
    while (w->left > 0 && !status) {
        if (!has_work(w)) {
            status = take_turn(w, err);
            continue;
        }
        status = end_round(w, &w->communication, w->step, w->bucket, err);
        w->left -= !status;
    }
    return status;
}

static void await_step(worker *w)
{
    egc_gate_wait(w->begun);
    if (!egc_repeat_of(&w->run->repeat, w->step, w->rank))
        w->left = w->learning->plan.n_buckets * w->learning->route.n_rounds;
}

/* Begins with what is left of the step that it was ended in. */
static egc_status communication_stream(void *arg, egc_error *err)
{
    worker *w = arg;
    egc_status status = EGC_OK;
    uint64_t steps = (uint64_t)options_of(w)->steps;
    while (w->step < steps && !status) {
        if (w->left == 0)
            await_step(w);
        status = exchange_buckets(w, err);
        w->step += !status;
    }
    return w->survivors ? egc_survivors_judge(w->survivors, status) : status;
}

/* ---- going on without the lost -------------------------------------------------------------- */

/* The gate may have let go of the stream without its knowing: the new one has what it has had. */
static egc_status stream_ended(void *arg, size_t rank, egc_error *err)
{
    worker *w = &((worker *)arg)[rank];
    egc_turns_halt(w->turns);
    if (w->stale) /* another recovery was broken off */
        return EGC_OK;
    w->stale = w->begun;
    w->begun = egc_gate_new((int)(w->n_begun - w->step - (w->left > 0)));
    return w->begun ? EGC_OK : egc_fail_memory(err, 1);
}

static egc_status spawn_stream(worker *w, const char *what, egc_actor_main main, egc_error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%sworker %zu", what, w->rank);
    return egc_world_spawn(w->run->world, (int)w->rank, name, main, w, err);
}

/* As member number i. What all had counts, though this one was not told. */
static egc_status rejoin(worker *w, size_t i, egc_error *err)
{
    const egc_learning *learning = w->learning;
    egc_gate_free(w->stale);
    w->stale = NULL;
    w->group = egc_subgroup_of(egc_world_transport(w->run->world, (int)w->rank, 0),
                               learning->members, (int)learning->n_members, (int)i);
    w->carrier.transport = &w->group.common;
    if (w->n_through == w->survivors->n_committed)
        return EGC_OK;
    w->n_through = w->survivors->n_committed;
    return accept_round(w, w->bucket, err);
}

/* No compute stream, which all go on, may come between the counts: nothing here waits. */
static void count_ready(const worker *w)
{
    for (size_t b = 0; b < w->learning->plan.n_buckets; b++)
        if (w->progress[b].stage == STAGE_READY)
            egc_turns_ready(w->turns, b);
}

static egc_status members_begin(void *arg, egc_error *err)
{
    worker *workers = arg;
    const int *members = workers->learning->members;
    size_t n = workers->learning->n_members;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = rejoin(&workers[members[i]], i, err);
    if (!status)
        status = egc_turns_regroup(workers->turns, members, n, err);
    for (size_t i = 0; i < n && !status; i++)
        count_ready(&workers[members[i]]);
    for (size_t i = 0; i < n && !status; i++)
        status = spawn_stream(&workers[members[i]], "communication of ", communication_stream, err);
    return status;
}

static const egc_survivors_ops survivors_ops = {
    .stream = communication_stream,
    .ended = stream_ended,
    .begin = members_begin,
};

/* ---- life ----------------------------------------------------------------------------------- */

static void worker_fini(worker *w)
{
    for (size_t b = 0; w->progress && b < w->learning->plan.n_buckets; b++)
        egc_gate_free(w->progress[b].back);
    egc_carrier_fini(&w->carrier);
    egc_stream_fini(&w->compute);
    egc_stream_fini(&w->compression);
    egc_stream_fini(&w->communication);
    egc_stream_fini(&w->cycle);
    egc_gate_free(w->begun);
    egc_gate_free(w->stale);
    egc_free(w->progress);
    egc_free(w->busy);
}

static egc_status make_progress(worker *w, egc_error *err)
{
    size_t n = w->learning->plan.n_buckets, slots = busy_slots(w->learning);
    w->progress = egc_calloc(n, sizeof *w->progress);
    w->busy = egc_calloc(slots, sizeof *w->busy);
    w->begun = egc_gate_new(0);
    bool made = w->progress && w->busy && w->begun;
    for (size_t b = 0; b < n && made; b++)
        made = (w->progress[b].back = egc_gate_new(0)) != NULL;
    return made ? EGC_OK : egc_fail_memory(err, slots * sizeof *w->busy);
}

/* Makes one of a worker's streams, and its actor: "compression of worker 3". */
static egc_status start_stream(worker *w, egc_stream *stream, egc_stream_kind kind,
                               const char *what, egc_actor_main main, egc_error *err)
{
    egc_status status = egc_stream_init(stream, w->run->world, w->run->report.sink, (int)w->rank,
                                        kind, w->learning->plan.n_buckets, err);
    return status ? status : spawn_stream(w, what, main, err);
}

static egc_status worker_init(worker *w, egc_run *run, size_t rank, egc_turns *turns,
                              egc_survivors *survivors, egc_error *err)
{
    *w = (worker){
        .run = run,
        .learning = run->learning,
        .rank = rank,
        .turns = turns,
        .survivors = survivors,
    };
    egc_status status = make_progress(w, err);
    if (!status)
        status = egc_carrier_init(&w->carrier, run->learning, rank, run->world,
                                  egc_world_transport(run->world, (int)rank, 0), err);
    if (!status)
        status = start_stream(w, &w->compute, EGC_STREAM_COMPUTE, "", compute_stream, err);
    if (!status && has_compression_stream(w))
        status = start_stream(w, &w->compression, EGC_STREAM_COMPRESSION, "compression of ",
                              compression_stream, err);
    if (!status)
        status = start_stream(w, &w->communication, EGC_STREAM_COMMUNICATION, "communication of ",
                              communication_stream, err);
    if (!status && fuses(w))
        status = start_stream(w, &w->cycle, EGC_STREAM_COMMUNICATION, "fusion cycle of ",
                              fusion_cycle, err);
    return status;
}

/* What no exchange has reported, as a host that is lost while nobody talks to it, has no step yet.
 */
static egc_status name_step(const egc_run *run, egc_status status, egc_error *err)
{
    bool named = strncmp(err ? err->message : "", "step ", 5) == 0;
    if (status != EGC_ERROR_SIMULATION || named || run->steps_begun == 0)
        return status;
    return egc_error_prefix(err, "step %llu", (unsigned long long)run->steps_begun - 1);
}

/* Makes the workers, and counts in *made those that worker_fini is for. */
static egc_status make_workers(egc_run *run, worker *workers, egc_turns *turns,
                               egc_survivors *survivors, size_t *made, egc_error *err)
{
    const egc_learning *learning = run->learning;
    const egc_training_options *options = &learning->config->options;
    bool by_priority = options->schedule == EGC_SCHEDULE_PRIORITY;
    bool drops = options->on_failure == EGC_ON_FAILURE_DROP;
    egc_status status = egc_turns_init(turns, learning->members, learning->n_workers,
                                       learning->plan.n_buckets, by_priority, err);
    if (!status && drops)
        status = egc_survivors_init(survivors, run, &survivors_ops, workers, err);
    for (; *made < learning->n_workers && !status; ++*made)
        status = worker_init(&workers[*made], run, *made, turns, drops ? survivors : NULL, err);
    return !status && drops ? egc_survivors_watch(survivors, err) : status;
}

static egc_status simulate(egc_run *run, egc_error *err)
{
    size_t n_workers = run->learning->n_workers, made = 0;
    egc_turns turns = {0};
    egc_survivors survivors = {0};
    worker *workers = egc_calloc(n_workers, sizeof *workers);
    if (!workers)
        return egc_fail_memory(err, n_workers * sizeof *workers);
    egc_status status = make_workers(run, workers, &turns, &survivors, &made, err);
    if (!status)
        status = name_step(run, egc_world_run(run->world, err), err);
    for (size_t rank = 0; rank < made; rank++)
        worker_fini(&workers[rank]);
    egc_survivors_fini(&survivors);
    egc_turns_fini(&turns);
    egc_free(workers);
    return status;
}

static egc_status check(const egc_training_config *config, egc_error *err)
{
    egc_route route;
    return egc_route_init(&route, config, err);
}

static egc_status run_sync(const egc_training_config *config, const egc_training_sink *sink,
                           egc_training_summary *out, egc_error *err)
{
    egc_run run;
    egc_status status = egc_run_init(&run, config, sink, out, err);
    if (status)
        return status;
    const egc_learning *learning = run.learning;
    out->params = (double)learning->n;
    memcpy(out->model, learning->workload->model, sizeof out->model);
    egc_route_name(&learning->route, out->exchange);
    status = egc_training_world(config, learning->hollow, &run.world, err);
    if (!status) {
        run.report.world = run.world;
        status = simulate(&run, err);
        egc_report_end(&run.report);
    }
    egc_world_free(run.world);
    egc_run_fini(&run);
    return status;
}

static const egc_param params[] = {EGC_PARAM_END};

const egc_algorithm_type egc_algorithm_sync = {
    .name = "sync",
    .summary = "every worker at every step: EGC-DSGD",
    .reference = "Kuang et al., Entropy-based gradient compression for distributed deep learning, "
                 "2019, with our reading of it",
    .params = params,
    .timeless = true,
    .one_message_each = true,
    .drops = true,
    .check = check,
    .run = run_sync,
};
