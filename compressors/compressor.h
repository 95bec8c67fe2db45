/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a compressor is.
 *
 * A compressor is one const descriptor in one file, named by one line of list.def. It turns a
 * vector of n floats (a *unit*: a layer, a bucket or the whole model) into bytes, and bytes into
 * a vector. There are two kinds:
 *
 *   - A sparsifier gives `select`: which elements to send. The method's index and value codecs
 *     write the bytes, so every sparsifier is measured with the same codecs.
 *   - A coder gives `encode`, `decode` and `bound`, and owns its bytes.
 *
 * The core owns all memory: it allocates params_size bytes and fills them from the parameter
 * table, allocates state_size(n) zeroed bytes for each unit of each worker, and lends scratch
 * space through the context. An algorithm file contains no malloc and no free. Randomness comes
 * only from context->rng, which the core seeds from (seed, worker, step, unit).
 */
#ifndef EGC_COMPRESSOR_H
#define EGC_COMPRESSOR_H

#include <gsl/gsl_rng.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/param.h"

/* Promises; the conformance suite measures each for every type that makes it. */
typedef enum egc_trait {
    EGC_TRAIT_EXACT = 1,       /* decode(encode(x)) == x, bit for bit */
    EGC_TRAIT_LINEAR = 2,      /* the message is n raw floats; summing messages sums vectors */
    EGC_TRAIT_UNBIASED = 4,    /* the mean over the rng of decode(encode(x)) is x */
    EGC_TRAIT_CONTRACTION = 8, /* ||x - C(x)||^2 <= (1 - contraction(params, n)) ||x||^2 */
    EGC_TRAIT_SCALE_FREE = 16, /* selects the same elements of c*x as of x, c > 0 */
    EGC_TRAIT_RATIO = 32, /* aims at a share of elements: warm-up can start with a larger one */
} egc_trait;

/* What one call may use besides its own parameters and state. */
typedef struct egc_context {
    uint64_t step;
    double density;     /* RATIO types: the share to keep at this step (warm-up included) */
    float max_abs;      /* the largest |x_i|, known from the memory's pass over x */
    gsl_rng *rng;       /* seeded for this worker, step and unit */
    egc_arena *scratch; /* forgotten after the call */
} egc_context;

/* The elements a sparsifier chose, in ascending order of index. The arrays have room for n. */
typedef struct egc_selection {
    uint32_t *index;
    size_t count;
} egc_selection;

/* What a type costs on the device, for the cost model (sim/train/cost.h): it is stated here and
 * not measured, so that simulated times do not depend on the machine that simulates. */
typedef struct egc_cost {
    double bytes_per_element;      /* device memory read and written per input element, encoding */
    double kernels;                /* kernel launches per unit, encoding */
    double sort_bytes_per_element; /* further bytes per element times log2(n), for sorting */
} egc_cost;

typedef struct egc_compressor_type {
    const char *name;
    const char *summary;   /* one line */
    const char *formula;   /* what is sent, in the field's notation */
    const char *reference; /* the paper, or "our reading of ..." */
    unsigned traits;       /* egc_trait */

    const egc_param *params; /* NULL when there are none */
    size_t params_size;
    const char *settings; /* method options that suit it, "memory=none"; NULL: the usual ones */

    /* Bytes of zeroed state for a unit of n elements; NULL for none. */
    size_t (*state_size)(const void *params, size_t n);

    egc_cost cost;

    /* Sparsifiers. x holds n finite floats, n >= 1. Leaves exact zeros out. MEMORY. */
    egc_status (*select)(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_selection *out, egc_error *err);

    /* RATIO types: the share of elements aimed at. */
    double (*density)(const void *params);

    /* CONTRACTION types: delta in the inequality above. */
    double (*contraction)(const void *params, size_t n);

    /* Coders. bound: no message is longer, in bytes. encode appends one message to wire. decode
     * consumes one message from reader and adds weight * vector to out; FORMAT for bytes that no
     * encode could have written. */
    size_t (*bound)(const void *params, size_t n);
    egc_status (*encode)(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err);
    egc_status (*decode)(const void *params, egc_reader *reader, float weight, float *out, size_t n,
                         egc_error *err);
} egc_compressor_type;

/* Every registered type, NULL-terminated, in the order of list.def. */
const egc_compressor_type *const *egc_compressor_types(void);

/* The type called name. NAME, listing the valid ones. */
egc_status egc_compressor_find(const char *name, const egc_compressor_type **out,
                               egc_error *err) EGC_MUST_CHECK;

#endif
