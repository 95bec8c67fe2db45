/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/carrier.h"

#include "base/mem.h"

egc_status egc_carrier_init(egc_carrier *carrier, egc_learning *learning, size_t worker,
                            egc_transport *transport, egc_error *err)
{
    *carrier = (egc_carrier){
        .transport = transport,
        .learning = learning,
        .worker = worker,
        .gathered = egc_calloc(learning->n_workers, sizeof *carrier->gathered),
    };
    return carrier->gathered
               ? EGC_OK
               : egc_fail_memory(err, learning->n_workers * sizeof *carrier->gathered);
}

void egc_carrier_fini(egc_carrier *carrier)
{
    for (size_t r = 0; carrier->gathered && r < carrier->learning->n_workers; r++)
        egc_buf_fini(&carrier->gathered[r]);
    egc_free(carrier->gathered);
    egc_buf_fini(&carrier->broadcast);
    egc_exchange_scratch_fini(&carrier->scratch);
}

static egc_status reduce(egc_carrier *c, size_t round, egc_outgoing *out, egc_received *received,
                         egc_error *err)
{
    egc_element element = c->learning->route.round[round].element;
    *received = (egc_received){.messages = &out->message, .n_messages = 1, .reduced = true};
    return c->learning->route.exchange[round]->reduce(c->transport, element, out->message.data,
                                                      out->message.len / egc_element_bytes(element),
                                                      &c->scratch, err);
}

static egc_status broadcast(egc_carrier *c, uint64_t step, size_t round, egc_outgoing *out,
                            egc_received *received, egc_error *err)
{
    size_t leader = step % c->learning->n_workers;
    egc_buf *message = c->worker == leader ? &out->message : &c->broadcast;
    *received = (egc_received){.messages = message, .n_messages = 1};
    return c->learning->route.exchange[round]->broadcast(c->transport, (int)leader, message,
                                                         &c->scratch, err);
}

/* On a hollow transport all know how long each message is. */
static void know_lengths(egc_carrier *c, uint64_t step, size_t round, size_t bucket)
{
    for (size_t w = 0; w < c->learning->n_workers; w++)
        c->gathered[w].len =
            egc_learning_outgoing(c->learning, step, round, w, bucket)->message.len;
}

egc_status egc_carrier_run(egc_carrier *c, uint64_t step, size_t round, size_t bucket,
                           egc_received *received, egc_error *err)
{
    const egc_exchange_type *exchange = c->learning->route.exchange[round];
    egc_outgoing *out = egc_learning_outgoing(c->learning, step, round, c->worker, bucket);
    *received = (egc_received){.messages = c->gathered, .n_messages = c->learning->n_workers};
    if (c->learning->hollow)
        know_lengths(c, step, round, bucket);
    switch (exchange->kind) {
    case EGC_EXCHANGE_REDUCE:
        return reduce(c, round, out, received, err);
    case EGC_EXCHANGE_BROADCAST:
        return broadcast(c, step, round, out, received, err);
    case EGC_EXCHANGE_SCATTER:
        received->shard = c->worker;
        return exchange->scatter(c->transport, out->pieces, c->gathered, &c->scratch, err);
    case EGC_EXCHANGE_GATHER:
        break;
    }
    return exchange->gather(c->transport, out->message.data, out->message.len, c->gathered,
                            &c->scratch, err);
}
