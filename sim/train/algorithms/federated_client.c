/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client in a round, at both ends of its link. */
#include "train/algorithms/federated.h"

#include "base/mem.h"

double egc_federation_work(egc_federation *f, int rank, double seconds)
{
    double start = egc_world_now(f->trainer.world);
    egc_world_compute(f->trainer.world, rank, seconds);
    return egc_world_now(f->trainer.world) - start;
}

/* ---- a client ------------------------------------------------------------------------------- */

static egc_status receive_model(egc_member *m, egc_error *err)
{
    egc_federation *f = m->federation;
    egc_transport *transport = egc_federation_transport(f, (int)m->number);
    egc_request *request;
    egc_status status = egc_irecv(transport, egc_federation_server(f), &m->model, &request, err);
    if (!status)
        status = egc_wait(transport, request, err);
    egc_buf_fini(&m->model); /* what is in it, the member's messages were made of */
    m->model = (egc_buf){0};
    return status;
}

static egc_status upload(egc_member *m, egc_error *err)
{
    egc_federation *f = m->federation;
    egc_transport *transport = egc_federation_transport(f, (int)m->number);
    const egc_buf *messages = f->clients.client[m->number].sender.messages;
    size_t n_buckets = f->trainer.plan.n_buckets;
    egc_status status = EGC_OK;
    for (size_t b = 0; b < n_buckets && !status; b++)
        status = egc_isend(transport, egc_federation_server(f), messages[b].data, messages[b].len,
                           &m->sends[b], err);
    for (size_t b = 0; b < n_buckets && !status; b++)
        status = egc_wait(transport, m->sends[b], err);
    return status;
}

static double compute_s(const egc_federation *f, size_t number)
{
    const egc_plan *plan = &f->trainer.plan;
    double seconds = plan->forward_s;
    for (size_t b = 0; b < plan->n_buckets; b++)
        seconds += plan->buckets[b].backward_s;
    return seconds * (double)egc_clients_local_steps(&f->clients, number);
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
    int rank = (int)m->number;
    double start = egc_world_now(f->trainer.world);
    egc_status status = receive_model(m, err);
    if (status)
        return status;
    tally->comm_s += egc_world_now(f->trainer.world) - start;
    double seconds = egc_federation_work(f, rank, m->unpack_s);
    tally->decompress_s += seconds;
    seconds = egc_federation_work(f, rank, compute_s(f, m->number));
    tally->compute_s += seconds;
    seconds = egc_federation_work(f, rank, compress_s(f, m->number));
    tally->compress_s += seconds;
    start = egc_world_now(f->trainer.world);
    status = upload(m, err);
    tally->comm_s += egc_world_now(f->trainer.world) - start;
    return status;
}

egc_status egc_federation_client(void *arg, egc_error *err)
{
    egc_member *m = arg;
    egc_status status = EGC_OK;
    egc_gate_wait(m->client_begins);
    while (!m->federation->over && !status) {
        status = take_part(m, err);
        if (!status)
            egc_gate_wait(m->client_begins);
    }
    return status;
}

/* ---- the server's side of a client ---------------------------------------------------------- */

static egc_status exchange(egc_member *m, egc_error *err)
{
    egc_federation *f = m->federation;
    egc_transport *transport = egc_federation_transport(f, egc_federation_server(f));
    size_t n_buckets = f->trainer.plan.n_buckets;
    egc_request *send;
    egc_status status =
        egc_isend(transport, (int)m->number, m->download.data, m->download.len, &send, err);
    if (!status)
        status = egc_wait(transport, send, err);
    for (size_t b = 0; b < n_buckets && !status; b++)
        status = egc_irecv(transport, (int)m->number, &m->uploaded[b], &m->receives[b], err);
    for (size_t b = 0; b < n_buckets && !status; b++)
        status = egc_wait(transport, m->receives[b], err);
    return status;
}

egc_status egc_federation_serve(void *arg, egc_error *err)
{
    egc_member *m = arg;
    egc_federation *f = m->federation;
    egc_status status = EGC_OK;
    egc_gate_wait(m->server_begins);
    while (!f->over && !status) {
        status = exchange(m, err);
        m->busy = false;
        m->arrived = f->open && m->round == f->trainer.step && f->n_arrived < f->n_wanted;
        f->n_arrived += m->arrived;
        egc_gate_signal(f->news);
        if (!status)
            egc_gate_wait(m->server_begins);
    }
    return status;
}
