/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface of compressors.
 *
 * A compressor is one const descriptor in one file, named by one line of list.def. It turns a
 * vector of n floats (a *unit*: a layer, a bucket or the whole model) into bytes, and bytes into
 * a vector. There are two kinds:
 *
 *   - A sparsifier gives `select`: which elements to send. The method's index and value codecs
 *     write the bytes, so every sparsifier is measured with the same codecs.
 *   - A coder gives `encode`, `decode` and `bound`, and owns its bytes.
 *
 * Either may need its workers to talk before the average is known (PowerSGD's two all-reduces,
 * CLT-k's leader, a sketch's second pass): it then gives `rounds`.
 *
 * The core owns all memory: it allocates params_size bytes and fills them from the parameter
 * table, allocates state_size zeroed bytes for each unit of each worker and replica_size for each
 * unit of each replica of the model, and lends scratch space through the context. An algorithm
 * file contains no malloc and no free. Randomness comes only from the context's generators, which
 * the core seeds. */
#ifndef EGC_COMPRESSORS_PLUGIN_H
#define EGC_COMPRESSORS_PLUGIN_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/number/element.h"
#include "base/param.h"

/* Promises; the conformance suite measures each for every type that makes it. */
typedef enum egc_trait {
    EGC_TRAIT_EXACT = 1,       /* decode(encode(x)) == x, bit for bit */
    EGC_TRAIT_LINEAR = 2,      /* coders: the message is n `element`s; their sum is the sum's */
    EGC_TRAIT_UNBIASED = 4,    /* the mean over the rng of decode(encode(x)) is x */
    EGC_TRAIT_CONTRACTION = 8, /* ||x - C(x)||^2 <= (1 - contraction(params, n)) ||x||^2 */
    EGC_TRAIT_SCALE_FREE = 16, /* selects the same elements of c*x as of x, c > 0 */
    EGC_TRAIT_SHARED = 32,     /* sparsifiers: all workers select the same, so no index is sent */
    EGC_TRAIT_OWN_VALUES = 64, /* sparsifiers: sets selection.value to the values to send */
    EGC_TRAIT_MOMENTUM = 128,  /* has momentum of its own: no other part may apply any */
    EGC_TRAIT_UNSCALED = 256,  /* signs without a magnitude: no zero, so no residual */
    EGC_TRAIT_MATRIX = 512,    /* compresses layers of two dimensions; all else is sent dense */
} egc_trait;

/* A unit is a range of the flat parameter vector that is compressed as one. */
typedef struct egc_unit {
    const char *name; /* for messages; borrowed for the life of encoder and decoder, like layers */
    size_t first;
    size_t count;
    size_t rows;          /* when it is one layer of two dimensions or more: the first of them */
    const size_t *layers; /* elements of each of its layers, in order; NULL: it is one layer */
    size_t n_layers;
} egc_unit;

/* Resources and inputs of one call besides its parameters and state. */
typedef struct egc_context {
    const egc_unit *unit;
    uint64_t step;
    size_t worker; /* the sender of the message */
    size_t n_workers;
    size_t shard_first; /* ALLTOALL rounds: the shard of the unit that the message is about */
    size_t shard_count;
    double density; /* types with `density`: the share to keep at this step, warm-up included */
    float max_abs;  /* the largest |x_i|, known from error feedback's pass */
    const float *gradient; /* the gradient of this step, which error feedback multiplied by `scale`;
                              NULL when there is none, and after the first round */
    float scale;
    gsl_rng *rng;        /* seeded for this worker, step, unit and round */
    gsl_rng *shared_rng; /* seeded for this step and unit alone: the same draws on every worker */
    egc_arena *scratch;  /* forgotten after the call */
} egc_context;

/* The elements a sparsifier chose, in ascending order of index. The arrays have room for n. */
typedef struct egc_selection {
    uint32_t *index;
    float *value; /* the values to send, set by OWN_VALUES types only */
    size_t count;
} egc_selection;

/* ---- methods of several rounds --------------------------------------------------------------- */

enum { EGC_ROUNDS_MAX = 3 };

/* The rounds of a method that needs more than one message. In each round every worker makes a
 * message from its vector and from its replica's state, and every replica absorbs the round's
 * result, so that all replicas have
 * the same state (after an ALLTOALL round, each that of its shard).
 *
 * A sparsifier uses rounds to agree on the elements: when they are over, `select` is called with
 * x == NULL and must answer from the replica alone (in `state`), the same for all workers; then a
 * last round, made by the core, carries the values. Such types are SHARED.
 *
 * A coder sends nothing after its rounds. After the last, `reconstruct` gives the mean over
 * workers, which is also subtracted from every worker's residual. encode and decode are not used.
 */
typedef struct egc_rounds {
    size_t count;
    egc_collective kind[EGC_ROUNDS_MAX];

    /* Bytes of zeroed state for each replica of a unit. */
    size_t (*replica_size)(const void *params, const egc_unit *unit);

    /* Appends the worker's message of `round` to wire. Called for every worker, but for the leader
     * only in BROADCAST rounds, and for each shard (context->shard_*) in ALLTOALL rounds. state:
     * the worker's own, state_size bytes. The replica is not to be changed. MEMORY. */
    egc_status (*message)(const void *params, void *state, const void *replica,
                          const egc_context *context, size_t round, const float *x, size_t n,
                          egc_buf *wire, egc_error *err);

    /* Absorbs the result of a round: n_messages readers, in the order of workers, each to be
     * consumed up to the end of this unit's part. ALLGATHER and ALLTOALL: one per worker;
     * ALLREDUCE: the sum; BROADCAST: the leader's. context->worker, rng and max_abs are not set.
     * FORMAT for bytes that no message could hold. */
    egc_status (*absorb)(const void *params, void *replica, const egc_context *context,
                         size_t round, egc_reader *messages, size_t n_messages, size_t n,
                         egc_error *err);

    /* Coders: writes the mean over workers into out[0..n). */
    egc_status (*reconstruct)(const void *params, const void *replica, const egc_context *context,
                              float *out, size_t n, egc_error *err);
} egc_rounds;

/* The r-th of n_workers nearly equal parts of n elements. */
typedef struct egc_unit_shard {
    size_t first;
    size_t count;
} egc_unit_shard;

static inline egc_unit_shard egc_unit_shard_of(size_t n, size_t r, size_t n_workers)
{
    size_t small = n / n_workers, larger = n % n_workers; /* the first `larger` have one more */
    return (egc_unit_shard){r * small + (r < larger ? r : larger), small + (r < larger)};
}

/* ---- the descriptor -------------------------------------------------------------------------- */

/* Cost on the device, for the cost model (sim/train/cost/cost_model.h). It is stated here and not
 * measured, so that simulated times do not depend on the machine that simulates. */
typedef struct egc_compressor_cost {
    double bytes_per_element; /* device memory read and written per input element, encoding: in each
                                 of a coder's rounds; in the first of a sparsifier's, for all */
    double kernels;           /* kernel launches per unit, likewise */
    double sort_bytes_per_element; /* further bytes per element times log2(n), for sorting */
    double
        decode_bytes_per_element; /* in each round, beyond reading messages and writing the sum */
} egc_compressor_cost;

typedef struct egc_compressor_type {
    const char *name;
    const char *summary; /* one line */
    const char *formula; /* the message, in the field's notation */
    const char *size; /* formula for a unit of n elements on the wire, without the message's head */
    const char *reference; /* the paper, or "our reading of ..." */
    unsigned traits;       /* egc_trait */

    const egc_param *params; /* NULL when there are none */
    size_t params_size;
    const char *settings; /* method options that suit it, "memory=none"; NULL: the usual ones */

    /* UNSUPPORTED, with the reason, when parameters that are each in range make no sense together.
     * NULL: any do. */
    egc_status (*check)(const void *params, egc_error *err);

    /* Bytes of zeroed state for each unit of each worker; NULL for none. */
    size_t (*state_size)(const void *params, const egc_unit *unit);

    egc_compressor_cost cost;

    /* False for units that compression would not make shorter; they are sent dense. NULL: always
     * true. */
    bool (*pays)(const void *params, const egc_unit *unit);

    /* The rounds of a type that needs more than one message; NULL for others. */
    const egc_rounds *rounds;

    /* Types with rounds: false where these parameters need one message only. NULL: never. */
    bool (*needs_rounds)(const void *params);

    /* Sparsifiers. x holds n finite floats, n >= 1. Leaves exact zeros out, unless SHARED. SHARED
     * types may look at x no more than at the worker: it is NULL. MEMORY. */
    egc_status (*select)(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_selection *out, egc_error *err);

    /* OWN_VALUES types: true if these parameters send other values than x's. NULL: always. */
    bool (*own_values)(const void *params);

    /* SHARED types: factor applied to the values before they are sent. NULL: 1. */
    double (*gain)(const void *params, const egc_context *context, size_t n);

    /* Sparsifiers that aim at a share of elements, so that warm-up can start with a larger one: the
     * share. NAN when these params do not. */
    double (*density)(const void *params);

    /* CONTRACTION types: delta in the inequality above. */
    double (*contraction)(const void *params, size_t n);

    /* Coders. bound: no message is longer, in bytes; types whose messages have one length give just
     * that. encode appends one message to wire. decode consumes one message from reader and adds
     * weight * vector to out; FORMAT for bytes that no encode could have written. */
    egc_element element; /* LINEAR types: the number format of the message */
    size_t (*bound)(const void *params, size_t n);
    egc_status (*encode)(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err);
    egc_status (*decode)(const void *params, egc_reader *reader, float weight, float *out, size_t n,
                         egc_error *err);
} egc_compressor_type;

/* The rounds of a type with these parameters; NULL: one message. */
static inline const egc_rounds *egc_compressor_rounds(const egc_compressor_type *type,
                                                      const void *params)
{
    return !type->needs_rounds || type->needs_rounds(params) ? type->rounds : NULL;
}

/* Every registered type, NULL-terminated, in the order of list.def. */
const egc_compressor_type *const *egc_compressor_types(void);

/* The type called name. NAME, listing the valid ones. */
egc_status egc_compressor_find(const char *name, const egc_compressor_type **out,
                               egc_error *err) EGC_MUST_CHECK;

#endif
