/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client during a round: the actor on its own host, and the actor at the server that serves it.
 */
#include "train/federated/federated.h"

#include "base/mem.h"

egc_status egc_federated_client_work(const egc_stream *stream, const char *name, uint64_t step,
                                     double seconds, double *total, egc_error *err)
{
    const egc_timeline_event event = {.name = name, .step = step};
    return egc_stream_work_for(stream, seconds, &event, total, err);
}

/* ---- a client ------------------------------------------------------------------------------- */

/* Between the client and the server, from start_s to now. */
static egc_status tell_transfer(const egc_federated_client *m, const char *name, uint64_t step,
                                double start_s, double bytes, egc_error *err)
{
    size_t peer = (size_t)egc_federated_server_rank(m->federation);
    const egc_timeline_event event = {
        .name = name, .step = step, .peers = &peer, .n_peers = 1, .bytes = bytes};
    return egc_stream_log_event(&m->communication, start_s, &event, err);
}

static egc_status download(egc_federated_client *m, egc_error *err)
{
    egc_federated *f = m->federation;
    egc_transport *transport = egc_federated_transport(f, (int)m->number);
    double start = egc_world_now(f->trainer.world);
    egc_status status =
        egc_transport_receive(transport, egc_federated_server_rank(f), &m->model, err);
    if (!status)
        status = tell_transfer(m, "download", m->step, start, (double)m->model.len, err);
    f->trainer.times.comm_s += egc_world_now(f->trainer.world) - start;
    egc_buf_fini(&m->model); /* its content is known: the client has been trained on it already */
    return status;
}

/* The server may sample the client again before this returns. */
static egc_status upload(egc_federated_client *m, egc_error *err)
{
    uint64_t step = m->step;
    egc_federated *f = m->federation;
    egc_transport *transport = egc_federated_transport(f, (int)m->number);
    const egc_buf *messages = f->clients.client[m->number].coders.messages;
    size_t n_buckets = f->trainer.partition.n_buckets;
    double start = egc_world_now(f->trainer.world), bytes = 0;
    egc_status status = EGC_OK;
    for (size_t b = 0; b < n_buckets; b++)
        bytes += (double)messages[b].len;
    for (size_t b = 0; b < n_buckets && !status; b++)
        status = egc_transport_isend(transport, egc_federated_server_rank(f), messages[b].data,
                                     messages[b].len, &m->sends[b], err);
    if (!status)
        status = egc_transport_wait_all(transport, m->sends, n_buckets, err);
    f->trainer.times.comm_s += egc_world_now(f->trainer.world) - start;
    return status ? status : tell_transfer(m, "upload", step, start, bytes, err);
}

static double compute_s(const egc_federated *f, size_t number)
{
    const egc_partition *partition = &f->trainer.partition;
    return (partition->forward_s + partition->backward_s) *
           (double)egc_federated_model_local_steps(&f->clients, number);
}

static double compress_s(const egc_federated *f, size_t number)
{
    double seconds = 0;
    for (size_t b = 0; b < f->trainer.partition.n_buckets; b++)
        seconds += f->clients.client[number].coders.encode_s[b];
    return seconds;
}

/* Times go into the account of the round in which they end. */
static egc_status take_part(egc_federated_client *m, egc_error *err)
{
    egc_federated *f = m->federation;
    egc_step_times *times = &f->trainer.times;
    const egc_stream *on = &m->compute;
    egc_actor_begin_step(f->trainer.world, (int)m->number, m->step);
    egc_status status = download(m, err);
    if (!status)
        status = egc_federated_client_work(on, "decompress", m->step, m->unpack_s,
                                           &times->decompress_s, err);
    if (!status)
        status = egc_federated_client_work(on, "local steps", m->step, compute_s(f, m->number),
                                           &times->compute_s, err);
    if (!status)
        status = egc_federated_client_work(on, "compress", m->step, compress_s(f, m->number),
                                           &times->compress_s, err);
    return status ? status : upload(m, err);
}

/* Waits until the client is sampled. */
static egc_status await_round(egc_federated_client *m, egc_error *err)
{
    double start = egc_world_now(m->federation->trainer.world);
    egc_semaphore_wait(m->client_begins);
    return egc_stream_log_wait(&m->compute, start, m->step, err);
}

/* Until the server ends the run. */
egc_status egc_federated_client_run(void *arg, egc_error *err)
{
    egc_federated_client *m = arg;
    egc_status status = EGC_OK;
    while (!status) {
        status = await_round(m, err);
        if (!status)
            status = take_part(m, err);
    }
    return status;
}

/* ---- the server's side of a client ---------------------------------------------------------- */

static egc_status exchange(egc_federated_client *m, egc_error *err)
{
    egc_federated *f = m->federation;
    egc_transport *transport = egc_federated_transport(f, egc_federated_server_rank(f));
    size_t n_buckets = f->trainer.partition.n_buckets;
    egc_status status =
        egc_transport_send(transport, (int)m->number, m->download.data, m->download.len, err);
    for (size_t b = 0; b < n_buckets && !status; b++)
        status =
            egc_transport_irecv(transport, (int)m->number, &m->uploaded[b], &m->receives[b], err);
    return status ? status : egc_transport_wait_all(transport, m->receives, n_buckets, err);
}

egc_status egc_federated_client_serve(void *arg, egc_error *err)
{
    egc_federated_client *m = arg;
    egc_federated *f = m->federation;
    egc_status status = EGC_OK;
    while (!status) {
        egc_semaphore_wait(m->server_begins);
        status = exchange(m, err);
        m->busy = false;
        m->arrived = f->open && m->step == f->trainer.step && f->n_arrived < f->n_wanted;
        f->n_arrived += m->arrived;
        egc_semaphore_signal(f->news);
    }
    return status;
}
