/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The constants of the trace format, which README.md describes for those who write it. */
#ifndef EGC_WORKLOADS_TRACE_FORMAT_H
#define EGC_WORKLOADS_TRACE_FORMAT_H

#include <stdint.h>

#include "base/param.h"

#define EGC_TRACE_FORMAT "egc-trace"

enum {
    EGC_TRACE_VERSION = 1,
    EGC_TRACE_MAX_LAYERS = 65536,
    /* A gradient is one HDF5 chunk, and a chunk must stay below 4 GiB. */
    EGC_TRACE_MAX_PARAMS = (1 << 30) - 1,
};

/* What was recorded, for the reader's benefit. "" and 0 mean not known. */
typedef struct egc_trace_note {
    char dataset[EGC_TEXT_LENGTH];
    char optimizer[EGC_TEXT_LENGTH];
    char source[EGC_TEXT_LENGTH]; /* the program or command that recorded it */
    int64_t batch;                /* examples per worker and step */
    int64_t every;                /* training steps from one recorded step to the next */
} egc_trace_note;

#endif
