/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of one round of a method for one bucket, as one participant receives it. */
#ifndef EGC_TRAIN_CORE_ROUND_RESULT_H
#define EGC_TRAIN_CORE_ROUND_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

typedef struct egc_round_result {
    const egc_buf *messages; /* n_messages in the order of ranks, borrowed; one where the round was
                                summed or broadcast */
    size_t n_messages;
    size_t shard; /* all-to-all rounds: the owner of these pieces */
    bool reduced; /* the one message is the sum of all */
} egc_round_result;

#endif
