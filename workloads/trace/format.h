/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants of the trace format, which README.md describes. */
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

/* Description of a recording. "" and 0 mean unknown. */
typedef struct egc_trace_note {
    char dataset[EGC_TEXT_LENGTH];
    char optimizer[EGC_TEXT_LENGTH];
    char source[EGC_TEXT_LENGTH]; /* program or command that made the recording */
    int64_t batch;                /* examples per worker and step */
    int64_t every;                /* training steps from one recorded step to the next */
} egc_trace_note;

#endif
