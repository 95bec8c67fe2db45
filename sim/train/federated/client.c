/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client in a round, at both ends of its link. */
#include "train/federated/federated.h"

#include "base/mem.h"

egc_status egc_federation_work(const egc_stream *stream, const char *name, uint64_t round,
                               double seconds, double *total, egc_error *err)
{
    const egc_timeline_event event = {.name = name, .step = round};
    return egc_stream_work_for(stream, seconds, &event, total, err);
}

/* ---- a client ------------------------------------------------------------------------------- */

/* Between the client and the server, from start_s to now. */
static egc_status tell_transfer(const egc_member *m, const char *name, uint64_t round,
                                double start_s, double bytes, egc_error *err)
{
    size_t peer = (size_t)egc_federation_server(m->federation);
    const egc_timeline_event event = {
        .name = name, .step = round, .peers = &peer, .n_peers = 1, .bytes = bytes};
    return egc_stream_tell(&m->communication, start_s, &event, err);
}

static egc_status download(egc_member *m, egc_error *err)
{
    egc_federation *f = m->federation;
    egc_transport *transport = egc_federation_transport(f, (int)m->number);
    double start = egc_world_now(f->trainer.world);
    egc_status status = egc_receive(transport, egc_federation_server(f), &m->model, err);
    if (!status)
        status = tell_transfer(m, "download", m->round, start, (double)m->model.len, err);
    f->trainer.tally.comm_s += egc_world_now(f->trainer.world) - start;
    egc_buf_fini(&m->model); /* what is in it, the member's messages were made of */
    return status;
}

/* The server may sample the client again before this returns. */
static egc_status upload(egc_member *m, egc_error *err)
{
    uint64_t round = m->round;
    egc_federation *f = m->federation;
    egc_transport *transport = egc_federation_transport(f, (int)m->number);
    const egc_buf *messages = f->clients.client[m->number].sender.messages;
    size_t n_buckets = f->trainer.plan.n_buckets;
    double start = egc_world_now(f->trainer.world), bytes = 0;
    egc_status status = EGC_OK;
    for (size_t b = 0; b < n_buckets; b++)
        bytes += (double)messages[b].len;
    for (size_t b = 0; b < n_buckets && !status; b++)
        status = egc_isend(transport, egc_federation_server(f), messages[b].data, messages[b].len,
                           &m->sends[b], err);
    if (!status)
        status = egc_wait_all(transport, m->sends, n_buckets, err);
    f->trainer.tally.comm_s += egc_world_now(f->trainer.world) - start;
    return status ? status : tell_transfer(m, "upload", round, start, bytes, err);
}

static double compute_s(const egc_federation *f, size_t number)
{
    const egc_plan *plan = &f->trainer.plan;
    return (plan->forward_s + plan->backward_s) *
           (double)egc_clients_local_steps(&f->clients, number);
}

static double compress_s(const egc_federation *f, size_t number)
{
    double seconds = 0;
    for (size_t b = 0; b < f->trainer.plan.n_buckets; b++)
        seconds += f->clients.client[number].sender.encode_s[b];
    return seconds;
}

/* Times go into the account of the round in which they end. */
static egc_status take_part(egc_member *m, egc_error *err)
{
    egc_federation *f = m->federation;
    egc_tally *tally = &f->trainer.tally;
    const egc_stream *on = &m->compute;
    egc_world_begin_step(f->trainer.world, (int)m->number, m->round);
    egc_status status = download(m, err);
    if (!status)
        status =
            egc_federation_work(on, "decompress", m->round, m->unpack_s, &tally->decompress_s, err);
    if (!status)
        status = egc_federation_work(on, "local steps", m->round, compute_s(f, m->number),
                                     &tally->compute_s, err);
    if (!status)
        status = egc_federation_work(on, "compress", m->round, compress_s(f, m->number),
                                     &tally->compress_s, err);
    return status ? status : upload(m, err);
}

/* Waits until the client is sampled. */
static egc_status await_round(egc_member *m, egc_error *err)
{
    double start = egc_world_now(m->federation->trainer.world);
    egc_gate_wait(m->client_begins);
    return egc_stream_tell_wait(&m->compute, start, m->round, err);
}

/* Until the server ends the run. */
egc_status egc_federation_client(void *arg, egc_error *err)
{
    egc_member *m = arg;
    egc_status status = EGC_OK;
    while (!status) {
        status = await_round(m, err);
        if (!status)
            status = take_part(m, err);
    }
    return status;
}

/* ---- the server's side of a client ---------------------------------------------------------- */

static egc_status exchange(egc_member *m, egc_error *err)
{
    egc_federation *f = m->federation;
    egc_transport *transport = egc_federation_transport(f, egc_federation_server(f));
    size_t n_buckets = f->trainer.plan.n_buckets;
    egc_status status = egc_send(transport, (int)m->number, m->download.data, m->download.len, err);
    for (size_t b = 0; b < n_buckets && !status; b++)
        status = egc_irecv(transport, (int)m->number, &m->uploaded[b], &m->receives[b], err);
    return status ? status : egc_wait_all(transport, m->receives, n_buckets, err);
}

egc_status egc_federation_serve(void *arg, egc_error *err)
{
    egc_member *m = arg;
    egc_federation *f = m->federation;
    egc_status status = EGC_OK;
    while (!status) {
        egc_gate_wait(m->server_begins);
        status = exchange(m, err);
        m->busy = false;
        m->arrived = f->open && m->round == f->trainer.step && f->n_arrived < f->n_wanted;
        f->n_arrived += m->arrived;
        egc_gate_signal(f->news);
    }
    return status;
}
