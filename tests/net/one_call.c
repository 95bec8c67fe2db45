/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "one_call.h"

#include "base/mem.h"

/* What a rank holds for a call. */
typedef struct buffers {
    egc_buf data;    /* zeros */
    egc_buf *pieces; /* ALLTOALL */
    egc_buf *blocks; /* ALLGATHER, ALLTOALL */
    egc_exchange_scratch scratch;
} buffers;

static egc_status fill(egc_buf *buf, size_t bytes, egc_error *err)
{
    egc_status status = egc_buf_reserve(buf, bytes, err);
    buf->len = status ? 0 : bytes;
    return status;
}

static egc_status buffers_init(buffers *b, const one_call *call, size_t p, egc_error *err)
{
    b->pieces = egc_calloc(p, sizeof *b->pieces);
    b->blocks = egc_calloc(p, sizeof *b->blocks);
    egc_status status = b->pieces && b->blocks ? EGC_OK : egc_fail_memory(err, p);
    if (!status)
        status = fill(&b->data, call->bytes, err);
    for (size_t r = 0; r < p && !status && call->type->kind == EGC_COLLECTIVE_ALLTOALL; r++)
        status = fill(&b->pieces[r], call->bytes / p, err);
    return status;
}

static void buffers_fini(buffers *b, size_t p)
{
    for (size_t r = 0; r < p; r++) {
        if (b->pieces)
            egc_buf_fini(&b->pieces[r]);
        if (b->blocks)
            egc_buf_fini(&b->blocks[r]);
    }
    egc_free(b->pieces);
    egc_free(b->blocks);
    egc_buf_fini(&b->data);
    egc_exchange_scratch_fini(&b->scratch);
}

static egc_status exchange(worker *self, buffers *b, egc_error *err)
{
    const egc_exchange_type *type = ((const one_call *)self->arg)->type;
    egc_transport *transport = self->transport;
    switch (type->kind) {
    case EGC_COLLECTIVE_ALLREDUCE:
        return egc_exchange_allreduce(type, transport, EGC_ELEMENT_FP32, b->data.data,
                                      b->data.len / sizeof(float), &b->scratch, err);
    case EGC_COLLECTIVE_ALLGATHER:
        return egc_exchange_allgather(type, transport, b->data.data, b->data.len, b->blocks,
                                      &b->scratch, err);
    case EGC_COLLECTIVE_BROADCAST:
        return egc_exchange_broadcast(type, transport, 0, &b->data, &b->scratch, err);
    default:
        return egc_exchange_alltoall(type, transport, b->pieces, b->blocks, &b->scratch, err);
    }
}

egc_status one_call_main(worker *self, egc_error *err)
{
    size_t p = (size_t)self->transport->size;
    buffers b = {.scratch.group = ((const one_call *)self->arg)->group};
    egc_status status = buffers_init(&b, self->arg, p, err);
    if (!status)
        status = exchange(self, &b, err);
    buffers_fini(&b, p);
    return status;
}
