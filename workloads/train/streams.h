/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which words a worker sees at a step.
 *
 * The text is cut into one stretch for each worker, and that into `batch` streams of one length. At
 * each step every stream goes on by `sequence` words, and each word's label is the one behind it.
 * At the end of the streams they start again: an epoch is over. Words that do not fill a step for
 * all streams are left out. */
#ifndef EGC_WORKLOADS_TRAIN_STREAMS_H
#define EGC_WORKLOADS_TRAIN_STREAMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct egc_streams {
    const uint32_t *words; /* borrowed */
    size_t stretch;        /* words of each worker */
    size_t batch, sequence;
    size_t length; /* words of a stream, one label more than inputs */
} egc_streams;

/* In place; owns nothing. RANGE when a stream has too few words for one step. */
egc_status egc_streams_init(egc_streams *streams, const uint32_t *words, size_t count,
                            size_t workers, size_t batch, size_t sequence,
                            egc_error *err) EGC_MUST_CHECK;

/* Steps of an epoch. */
uint64_t egc_streams_steps(const egc_streams *streams);

/* Writes inputs and labels from word `first` of each stream on, word t of stream s at place
 * t * batch + s, and returns how many there are: sequence * batch, or fewer where the streams end,
 * in which case the inputs behind them are 0. */
size_t egc_streams_read(const egc_streams *streams, size_t worker, size_t first, float *inputs,
                        int *labels);

#endif
