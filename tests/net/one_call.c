/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "one_call.h"

#include "base/mem.h"

static egc_status reduce_once(worker *self, size_t bytes, egc_error *err)
{
    const one_call *call = self->arg;
    egc_exchange_scratch scratch = {0};
    float *data = egc_calloc(bytes, 1);
    egc_status status = data ? EGC_OK : egc_fail_memory(err, bytes);
    if (!status)
        status = call->type->reduce(self->transport, EGC_ELEMENT_FP32, data, bytes / sizeof *data,
                                    &scratch, err);
    egc_exchange_scratch_fini(&scratch);
    egc_free(data);
    return status;
}

static egc_status gather_once(worker *self, size_t bytes, egc_error *err)
{
    const one_call *call = self->arg;
    egc_exchange_scratch scratch = {0};
    size_t p = (size_t)self->transport->size;
    uint8_t *data = egc_calloc(bytes, 1);
    egc_buf *blocks = egc_calloc(p, sizeof *blocks);
    egc_status status = data && blocks ? EGC_OK : egc_fail_memory(err, bytes);
    if (!status)
        status = call->type->gather(self->transport, data, bytes, blocks, &scratch, err);
    for (size_t r = 0; blocks && r < p; r++)
        egc_buf_fini(&blocks[r]);
    egc_exchange_scratch_fini(&scratch);
    egc_free(blocks);
    egc_free(data);
    return status;
}

egc_status one_call_main(worker *self, egc_error *err)
{
    const one_call *call = self->arg;
    return call->type->kind == EGC_EXCHANGE_REDUCE ? reduce_once(self, call->bytes, err)
                                                   : gather_once(self, call->bytes, err);
}
