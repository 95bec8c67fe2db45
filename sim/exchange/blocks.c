/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One loop over the ranks of a run serves writing and reading, so that both agree on the order. */
#include "exchange/blocks.h"

#include "base/bits.h"

static void append(egc_call *call, egc_buf *block, void *to)
{
    egc_buf *message = to;
    if (block->len > UINT32_MAX) {
        call->status = egc_fail(call->err, EGC_ERROR_UNSUPPORTED,
                                "a block must be shorter than 4 GiB, got %zu bytes", block->len);
    } else if (call->transport->size_only) {
        message->len += egc_bits_varint_bytes((uint32_t)block->len) + block->len;
    } else {
        egc_bits_put_varint(message, (uint32_t)block->len);
        egc_buf_put(message, block->data, block->len);
        call->status = egc_buf_check(message, call->err);
    }
}

static void read(egc_call *call, egc_buf *block, void *from)
{
    uint32_t len;
    const uint8_t *bytes;
    if (call->transport->size_only)
        return;
    egc_buf_clear(block);
    call->status = egc_bits_read_varint(from, &len, call->err);
    if (!call->status)
        call->status = egc_reader_take(from, len, &bytes, call->err);
    if (!call->status)
        call->status = egc_buf_append(block, bytes, len, call->err);
}

static void for_each(egc_call *call, egc_blocks_run run,
                     void (*visit)(egc_call *call, egc_buf *block, void *arg), void *arg)
{
    for (int i = run.first; i < run.end; i += run.step)
        for (int r = i % call->p; r < call->p && !call->status; r += run.stride)
            if (r != run.except)
                visit(call, &call->blocks[r], arg);
}

void egc_blocks_pack(egc_call *call, egc_blocks_run run)
{
    if (call->status)
        return;
    egc_buf_clear(&call->scratch->out);
    for_each(call, run, append, &call->scratch->out);
    if (call->status)
        egc_error_prefix(call->err, "%s", call->name);
}

void egc_blocks_unpack(egc_call *call, egc_blocks_run run)
{
    const egc_buf *message = &call->scratch->in;
    egc_reader reader = egc_reader_of(message->data, call->transport->size_only ? 0 : message->len);
    if (call->status)
        return;
    for_each(call, run, read, &reader);
    if (!call->status && egc_reader_left(&reader))
        call->status = egc_fail(call->err, EGC_ERROR_FORMAT, "%zu bytes after the last block",
                                egc_reader_left(&reader));
    if (call->status)
        egc_error_prefix(call->err, "%s", call->name);
}

void egc_blocks_swap(egc_call *call, int to, egc_blocks_run out, int from, egc_blocks_run in)
{
    egc_blocks_pack(call, out);
    egc_call_swap(call, to, call->scratch->out.data, call->scratch->out.len, from,
                  &call->scratch->in);
    egc_blocks_unpack(call, in);
}
