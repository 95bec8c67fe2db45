/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that hold the blocks of several ranks. Private to sim/exchange.
 *
 * A block in a message is its length in bytes as a varint (LEB128), then its bytes. Both ends know
 * whose blocks a message holds, and in which order. On a size_only transport blocks that arrive
 * keep the lengths they had: all ranks know them beforehand. */
#ifndef EGC_EXCHANGE_BLOCKS_H
#define EGC_EXCHANGE_BLOCKS_H

#include "exchange/exchange.h"

/* A sequence of ranks: for i = first, first + step, ... < end, the ranks i modulo p, and from there
 * in steps of `stride` up to p - 1, leaving out `except`. */
typedef struct egc_blocks_run {
    int first, end, step, stride;
    int except; /* -1: none */
} egc_blocks_run;

/* Makes scratch->out the message of the blocks of a run. */
void egc_blocks_pack(egc_call *call, egc_blocks_run run);

/* Reads scratch->in, the message of the blocks of a run. FORMAT. */
void egc_blocks_unpack(egc_call *call, egc_blocks_run run);

/* Sends the blocks of `out` and receives those of `in`. */
void egc_blocks_swap(egc_call *call, int to, egc_blocks_run out, int from, egc_blocks_run in);

#endif
