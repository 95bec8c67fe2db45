/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of an egc_worker: worker.c makes it, step.c takes it through steps. */
#ifndef EGC_COMPRESSORS_API_WORKER_H
#define EGC_COMPRESSORS_API_WORKER_H

#include "base/arena.h"
#include "compressors/core/decoder.h"
#include "compressors/core/encoder.h"
#include "compressors/core/round_plan.h"
#include "compressors/core/workspace.h"
#include "compressors/egc.h"

/* Working memory, of all workers that were made as peers of each other. */
typedef struct egc_worker_memory {
    egc_workspace *workspace;
    size_t longest; /* elements of the longest unit it has room for */
    size_t n_users;
} egc_worker_memory;

/* A bucket, and how far it is in the step under way. */
typedef struct egc_worker_bucket {
    size_t first, n; /* elements of the flat gradient */
    size_t first_unit, n_units;
    egc_buf *wire; /* the messages of the last round made: n_wires of the worker */
    bool has_gradient;
    size_t n_made, n_absorbed; /* rounds */
    egc_gradient_check check;
} egc_worker_bucket;

struct egc_worker {
    egc_method method;
    egc_round_plan plan;
    size_t rank, n_workers; /* rank EGC_RECEIVER: encoder is NULL */
    egc_worker_memory *memory;
    egc_arena arena; /* owns units, buckets and their names */
    egc_unit *units;
    size_t n_units;
    egc_worker_bucket *buckets;
    size_t n_buckets, n_wires;
    egc_encoder *encoder;
    egc_decoder *decoder;
    egc_reader *readers; /* one for each worker */
    bool has_begun;
    uint64_t step;
    size_t n_gradients; /* handed in at this step */
};

/* True if some round of the method needs this exchange. */
bool egc_worker_has_round(const egc_worker *worker, egc_collective collective);

#endif
