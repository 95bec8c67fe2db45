/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the words of each worker and step.
 *
 * The text is cut into one part for each worker, and each part into `batch` streams of equal
 * length. At each step every stream advances by `sequence` words; the label of a word is the next
 * word. At the end of the streams an epoch is over and they start again. Words that do not fill a
 * step of all streams are left out. */
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

/* Writes inputs and labels from word `first` of each stream on, word t of stream s at index t *
 * batch + s. Returns their number: sequence * batch, or fewer where the streams end, in which case
 * the remaining inputs are 0. */
size_t egc_streams_read(const egc_streams *streams, size_t worker, size_t first, float *inputs,
                        int *labels);

#endif
