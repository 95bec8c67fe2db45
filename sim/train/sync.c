/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each worker is two actors on one host. The compute stream runs the forward pass, then the
 * backward pass bucket by bucket, and compresses each bucket when its gradients are there. The
 * communication stream exchanges buckets in that order, and decodes them. The next step begins
 * when all buckets have come back. */
#include "train/sync.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "train/cost.h"

/* Device time that the communication stream took, to tell it from waiting for the network. */
typedef struct interval {
    double start_s, end_s;
} interval;

typedef struct worker {
    egc_run *run;
    size_t rank;
    egc_transport *transport;
    egc_gate *ready;       /* one signal for each encoded bucket */
    egc_gate *done;        /* one for each bucket that came back */
    egc_barrier *together; /* shared: no exchange begins before its last rank is ready */
    interval *busy;        /* two for each bucket: compressing and decoding on the stream */
    egc_buf *gathered;     /* for each rank, during an exchange */
    egc_exchange_scratch scratch;
    double comm_s, compress_s, decompress_s; /* of the step under way */
} worker;

/* ---- the compute stream --------------------------------------------------------------------- */

static void backward(worker *w, uint64_t step)
{
    egc_run *run = w->run;
    const egc_training_options *options = &run->config->options;
    int rank = (int)w->rank;
    for (size_t b = 0; b < run->plan.n_buckets; b++) {
        egc_world_compute(run->world, rank, run->plan.buckets[b].backward_s);
        if (options->compress_on == EGC_COMPRESS_ON_COMPUTE) {
            double start = egc_world_now(run->world);
            egc_world_compute(run->world, rank, egc_run_outgoing(run, step, w->rank, b)->encode_s);
            w->compress_s += egc_world_now(run->world) - start;
        }
        if (options->overlap)
            egc_gate_signal(w->ready);
    }
    for (size_t b = 0; b < run->plan.n_buckets && !options->overlap; b++)
        egc_gate_signal(w->ready);
}

/* How much of the stream's device work fell after `since`. */
static double busy_after(const worker *w, double since)
{
    double total = 0;
    for (size_t i = 0; i < 2 * w->run->plan.n_buckets; i++)
        total += fmax(0, w->busy[i].end_s - fmax(w->busy[i].start_s, since));
    return total;
}

static egc_status compute_step(worker *w, uint64_t step, egc_error *err)
{
    egc_run *run = w->run;
    double recv_bytes = w->transport->recv_bytes;
    w->comm_s = w->compress_s = w->decompress_s = 0;
    egc_status status = egc_run_begin_step(run, step, err);
    if (status)
        return status;
    double start = egc_world_now(run->world);
    egc_world_compute(run->world, (int)w->rank, run->plan.forward_s);
    backward(w, step);
    double computed = egc_world_now(run->world);
    double on_compute = w->compress_s; /* later additions are the stream's */
    for (size_t b = 0; b < run->plan.n_buckets; b++)
        egc_gate_wait(w->done);
    double end = egc_world_now(run->world);

    egc_tally *tally = egc_run_tally(run, step);
    bool on_stream = run->config->options.compress_on == EGC_COMPRESS_ON_STREAM;
    tally->step_s += end - start;
    tally->compute_s += computed - start - (on_stream ? 0 : on_compute);
    tally->compress_s += w->compress_s;
    tally->decompress_s += w->decompress_s;
    tally->comm_s += w->comm_s;
    tally->exposed_comm_s += fmax(0, end - computed - busy_after(w, computed));
    tally->recv_bytes += w->transport->recv_bytes - recv_bytes;
    return egc_run_finish_step(run, step, err);
}

static egc_status compute_stream(void *arg, egc_error *err)
{
    worker *w = arg;
    egc_status status = EGC_OK;
    uint64_t steps = (uint64_t)w->run->config->options.steps;
    for (uint64_t step = 0; step < steps && !status; step++)
        status = compute_step(w, step, err);
    return status;
}

/* ---- the communication stream --------------------------------------------------------------- */

/* Occupies the device for `seconds` and remembers when. */
static void work_on_stream(worker *w, double seconds, interval *when, double *total)
{
    when->start_s = egc_world_now(w->run->world);
    if (seconds > 0)
        egc_world_compute(w->run->world, (int)w->rank, seconds);
    when->end_s = egc_world_now(w->run->world);
    *total += when->end_s - when->start_s;
}

static egc_status exchange_bucket(worker *w, uint64_t step, size_t b, egc_error *err)
{
    const egc_exchange_type *exchange = w->run->exchange;
    egc_buf *message = &egc_run_outgoing(w->run, step, w->rank, b)->message;
    if (exchange->kind == EGC_EXCHANGE_REDUCE)
        return exchange->reduce(w->transport, EGC_ELEMENT_FP32, message->data,
                                message->len / sizeof(float), &w->scratch, err);
    return exchange->gather(w->transport, message->data, message->len, w->gathered, &w->scratch,
                            err);
}

/* Sums what came, and returns the device time that decoding stands for. */
static egc_status decode_bucket(worker *w, uint64_t step, size_t b, double *seconds, egc_error *err)
{
    egc_run *run = w->run;
    const egc_training_config *config = run->config;
    *seconds = 0;
    if (run->exchange->kind == EGC_EXCHANGE_REDUCE) {
        const egc_buf *sum = &egc_run_outgoing(run, step, w->rank, b)->message;
        egc_run_average_sum(run, step, b, (const float *)sum->data);
        return EGC_OK;
    }
    if (config->options.cost == EGC_COST_MODEL) {
        double wire_bytes = 0;
        for (size_t r = 0; r < run->n_workers; r++)
            wire_bytes += (double)w->gathered[r].len;
        *seconds = egc_cost_decode(&config->method, &config->device, run->plan.buckets[b].count,
                                   wire_bytes, run->n_workers);
    }
    return egc_run_average_messages(run, step, b, w->gathered, err);
}

static egc_status communicate(worker *w, uint64_t step, size_t b, egc_error *err)
{
    egc_run *run = w->run;
    bool compresses = run->config->options.compress_on == EGC_COMPRESS_ON_STREAM;
    egc_gate_wait(w->ready);
    work_on_stream(w, compresses ? egc_run_outgoing(run, step, w->rank, b)->encode_s : 0,
                   &w->busy[2 * b], &w->compress_s);
    egc_barrier_wait(w->together);
    double start = egc_world_now(run->world), seconds;
    egc_status status = exchange_bucket(w, step, b, err);
    if (status)
        return egc_error_prefix(err, "step %llu: bucket %zu", (unsigned long long)step, b);
    w->comm_s += egc_world_now(run->world) - start;
    status = decode_bucket(w, step, b, &seconds, err);
    if (status)
        return status;
    work_on_stream(w, seconds, &w->busy[2 * b + 1], &w->decompress_s);
    egc_gate_signal(w->done);
    return EGC_OK;
}

static egc_status communication_stream(void *arg, egc_error *err)
{
    worker *w = arg;
    egc_status status = EGC_OK;
    uint64_t steps = (uint64_t)w->run->config->options.steps;
    for (uint64_t step = 0; step < steps && !status; step++)
        for (size_t b = 0; b < w->run->plan.n_buckets && !status; b++)
            status = communicate(w, step, b, err);
    return status;
}

/* ---- life ----------------------------------------------------------------------------------- */

static void worker_fini(worker *w)
{
    for (size_t r = 0; w->gathered && r < w->run->n_workers; r++)
        egc_buf_fini(&w->gathered[r]);
    egc_free(w->gathered);
    egc_free(w->busy);
    egc_gate_free(w->ready);
    egc_gate_free(w->done);
    egc_exchange_scratch_fini(&w->scratch);
}

static egc_status worker_init(worker *w, egc_run *run, size_t rank, egc_barrier *together,
                              egc_error *err)
{
    size_t buckets = run->plan.n_buckets;
    *w = (worker){
        .run = run,
        .rank = rank,
        .transport = egc_world_transport(run->world, (int)rank, 0),
        .ready = egc_gate_new(0),
        .done = egc_gate_new(0),
        .together = together,
        .busy = egc_calloc(2 * buckets, sizeof *w->busy),
        .gathered = egc_calloc(run->n_workers, sizeof *w->gathered),
    };
    if (!w->ready || !w->done || !w->busy || !w->gathered)
        return egc_fail_memory(err, 2 * buckets * sizeof *w->busy);
    char name[64];
    snprintf(name, sizeof name, "worker %zu", rank);
    egc_status status = egc_world_spawn(run->world, (int)rank, name, compute_stream, w, err);
    if (status)
        return status;
    snprintf(name, sizeof name, "communication of worker %zu", rank);
    return egc_world_spawn(run->world, (int)rank, name, communication_stream, w, err);
}

egc_status egc_sync_simulate(egc_run *run, egc_error *err)
{
    size_t made = 0;
    egc_status status = EGC_OK;
    worker *workers = egc_calloc(run->n_workers, sizeof *workers);
    egc_barrier *together = egc_barrier_new((int)run->n_workers);
    if (!workers || !together)
        status = egc_fail_memory(err, run->n_workers * sizeof *workers);
    for (; made < run->n_workers && !status; made++)
        status = worker_init(&workers[made], run, made, together, err);
    if (!status)
        status = egc_world_run(run->world, err);
    for (size_t rank = 0; rank < made; rank++)
        worker_fini(&workers[rank]);
    egc_barrier_free(together);
    egc_free(workers);
    return status;
}
