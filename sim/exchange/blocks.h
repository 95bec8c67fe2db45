/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks that travel together in one message. Private to sim/exchange. */
#ifndef EGC_EXCHANGE_BLOCKS_H
#define EGC_EXCHANGE_BLOCKS_H

#include "exchange/exchange.h"

/* A block in a message of several: its length in bytes as a varint (LEB128), then its bytes. Both
 * ends know whose blocks a message holds, and in which order. On a hollow transport reading a block
 * leaves it as it was: all ranks know beforehand how long each is. */
egc_status egc_blocks_append(const egc_transport *transport, egc_buf *message, const egc_buf *block,
                             egc_error *err) EGC_MUST_CHECK;
egc_status egc_blocks_read(const egc_transport *transport, egc_reader *message, egc_buf *block,
                           egc_error *err) EGC_MUST_CHECK;

/* What has come, to be read block by block. */
egc_reader egc_blocks_of(const egc_transport *transport, const egc_buf *message);

/* FORMAT when something is left. */
egc_status egc_blocks_end(const egc_transport *transport, const egc_reader *message,
                          egc_error *err) EGC_MUST_CHECK;

/* Makes blocks[rank] a copy of mine. */
egc_status egc_blocks_begin(const egc_transport *transport, const void *mine, size_t bytes,
                            egc_buf *blocks, egc_error *err) EGC_MUST_CHECK;

#endif
