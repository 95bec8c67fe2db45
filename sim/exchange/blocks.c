/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exchange/blocks.h"

#include "base/bits.h"

egc_status egc_blocks_append(const egc_transport *transport, egc_buf *message, const egc_buf *block,
                             egc_error *err)
{
    if (block->len > UINT32_MAX)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "a block must be shorter than 4 GiB, got %zu bytes", block->len);
    if (transport->size_only) {
        message->len += egc_bits_varint_bytes((uint32_t)block->len) + block->len;
        return EGC_OK;
    }
    egc_status status = egc_bits_append_varint(message, (uint32_t)block->len, err);
    return status ? status : egc_buf_append(message, block->data, block->len, err);
}

egc_status egc_blocks_read(const egc_transport *transport, egc_reader *message, egc_buf *block,
                           egc_error *err)
{
    uint32_t len;
    const uint8_t *bytes;
    if (transport->size_only)
        return EGC_OK;
    egc_status status = egc_bits_read_varint(message, &len, err);
    if (!status)
        status = egc_reader_take(message, len, &bytes, err);
    egc_buf_clear(block);
    return status ? status : egc_buf_append(block, bytes, len, err);
}

egc_reader egc_blocks_of(const egc_transport *transport, const egc_buf *message)
{
    return egc_reader_of(message->data, transport->size_only ? 0 : message->len);
}

egc_status egc_blocks_end(const egc_transport *transport, const egc_reader *message, egc_error *err)
{
    if (transport->size_only || !egc_reader_left(message))
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_FORMAT, "%zu bytes after the last block",
                    egc_reader_left(message));
}

egc_status egc_blocks_begin(const egc_transport *transport, const void *mine, size_t bytes,
                            egc_buf *blocks, egc_error *err)
{
    egc_buf *own = &blocks[transport->rank];
    egc_buf_clear(own);
    own->len = transport->size_only ? bytes : 0;
    return transport->size_only ? EGC_OK : egc_buf_append(own, mine, bytes, err);
}
