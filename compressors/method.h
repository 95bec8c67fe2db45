/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A method: how one training run compresses. Memory + compressor + codecs + learning-rate
 * correction, the whole that users name in an experiment.
 *
 * The state order of one step of one worker, for each unit (the thing GRACE calls Memory is
 * compensate and update together):
 *     compensate   v <- memory and gradient           what is there to send
 *     select/encode                                   bytes, and which elements they carry
 *     update       v <- v - decoded, u <- masked      what was not sent stays
 * and on the receiving side
 *     decode-add   sum of weight * decoded over workers
 *     correct      sum <- c(tau) * sum                the learning-rate correction
 */
#ifndef EGC_METHOD_H
#define EGC_METHOD_H

#include <stdbool.h>

#include "compressors/compressor.h"

typedef enum egc_memory {
    EGC_MEMORY_NONE,     /* what is not sent is lost */
    EGC_MEMORY_RESIDUAL, /* error feedback; momentum is the optimiser's */
    EGC_MEMORY_MOMENTUM, /* momentum-corrected residual; the optimiser applies plain SGD */
} egc_memory;

typedef enum egc_granularity {
    EGC_GRANULARITY_LAYER, /* a unit is a layer */
    EGC_GRANULARITY_BUCKET,
    EGC_GRANULARITY_MODEL,
} egc_granularity;

typedef enum egc_nonfinite {
    EGC_NONFINITE_ERROR, /* the run ends, saying where */
    EGC_NONFINITE_ZERO,  /* treated as 0 and counted */
    EGC_NONFINITE_SKIP,  /* the worker sends nothing this step; its memory is untouched */
} egc_nonfinite;

typedef enum egc_correction { EGC_CORRECTION_NONE, EGC_CORRECTION_LAYER } egc_correction;

/* Options that every method has. */
typedef struct egc_method_options {
    int memory;      /* egc_memory */
    double momentum; /* NAN: the workload's, or 0.9 where it has none */
    bool masking;    /* momentum factor masking: u <- 0 where sent */
    bool nesterov;
    int index;            /* 0: auto; else 1 + position in egc_index_codecs() */
    int value;            /* position in egc_value_codecs() */
    int granularity;      /* egc_granularity */
    int64_t min_elements; /* smaller units are sent dense */
    int64_t warmup;       /* steps over which a RATIO type goes from dense to its ratio */
    double clip;          /* limit of the global L2 norm before accumulation; 0: none */
    int lr_correction;    /* egc_correction */
    double lr_smoothing;  /* weight of the past in the smoothed density */
    int nonfinite;        /* egc_nonfinite */
} egc_method_options;

extern const egc_param egc_method_option_params[];

#define EGC_METHOD_PARAMS_MAX 2048

typedef struct egc_method {
    const char *name; /* of the compressor or of the preset */
    const egc_compressor_type *compressor;
    egc_method_options options;
    _Alignas(16) unsigned char params[EGC_METHOD_PARAMS_MAX]; /* the compressor's */
} egc_method;

/* A preset is a compressor with other defaults, under a name of its own. */
typedef struct egc_preset {
    const char *name;
    const char *summary;
    const char *reference;
    const char *compressor;
    const char *settings; /* "key=value;key=value" */
} egc_preset;

/* Every preset, NULL-terminated. */
const egc_preset *const *egc_presets(void);

/* Fills method with the defaults of the compressor or preset called name. NAME, listing both. */
egc_status egc_method_init(egc_method *method, const char *name, egc_error *err) EGC_MUST_CHECK;

/* Sets one option of the method or parameter of its compressor. NAME, listing the valid keys;
 * RANGE, the message starting after the key. */
egc_status egc_method_set(egc_method *method, const char *key, const egc_scalar *value,
                          egc_error *err) EGC_MUST_CHECK;

/* UNSUPPORTED, with the reason, when the parts make no sense together. */
egc_status egc_method_check(const egc_method *method, egc_error *err) EGC_MUST_CHECK;

/* Appends what differs from the defaults of the method's name, "ratio=0.01;index=raw". MEMORY. */
egc_status egc_method_describe(const egc_method *method, egc_buf *out,
                               egc_error *err) EGC_MUST_CHECK;

/* ---- encoding: one per worker -------------------------------------------------------------- */

/* A unit is a range of the flat parameter vector that is compressed as one. */
typedef struct egc_unit {
    size_t first;
    size_t count;
} egc_unit;

/* What one encoding did. Squared norms are sums over the unit's elements. */
typedef struct egc_encoding {
    size_t elements;       /* n */
    size_t sent;           /* k; n for units sent dense */
    size_t wire_bytes;     /* appended to the message */
    double gradient_norm2; /* of what came in */
    double input_norm2;    /* of what the compressor saw (memory included) */
    double sent_norm2;     /* of what the receiver will decode */
    double error_norm2;    /* of input - decoded */
    double residual_norm2; /* of what the memory keeps */
    double sent_norm1;     /* sum of |decoded| */
    double staleness;      /* sum of |decoded| * mean wait in steps; see egc_encoder_encode */
    size_t nan_count;      /* found in the gradient */
    size_t inf_count;
    bool skipped; /* nonfinite = "skip" applied */
} egc_encoding;

typedef struct egc_encoder egc_encoder;

/* The compressing side of one worker. units are in the order of the flat vector and cover it
 * without gaps. momentum is options.momentum resolved. MEMORY, UNSUPPORTED. */
egc_status egc_encoder_new(const egc_method *method, double momentum, const egc_unit *units,
                           size_t n_units, uint64_t seed, egc_encoder **out,
                           egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_encoder_free(egc_encoder *encoder);

/* Compensates, encodes and updates unit `unit` at `step` from its gradient (units[unit].count
 * floats, scaled by `scale` first: clipping) and appends its message to wire. Call once per unit
 * and step. NONFINITE (counts in the message) under nonfinite = "error".
 *
 * The mean wait of an element sent after j steps is (j - 1) / 2: the mean age of gradients that
 * arrived one a step since it was last sent. */
egc_status egc_encoder_encode(egc_encoder *encoder, size_t unit, uint64_t step,
                              const float *gradient, double scale, egc_buf *wire, egc_encoding *out,
                              egc_error *err) EGC_MUST_CHECK;

/* The memory's vectors for tests and metrics: n floats each, NULL when the memory has none.
 * Borrowed. */
const float *egc_encoder_residual(const egc_encoder *encoder);
const float *egc_encoder_velocity(const egc_encoder *encoder);

/* ---- decoding: one per replica of the model ------------------------------------------------- */

typedef struct egc_decoder egc_decoder;

egc_status egc_decoder_new(const egc_method *method, double momentum, const egc_unit *units,
                           size_t n_units, egc_decoder **out, egc_error *err) EGC_MUST_CHECK;
void egc_decoder_free(egc_decoder *decoder);

/* Consumes one worker's message for units [first, first + count) and adds weight * decoded to sum,
 * the flat vector. FORMAT for anything that no encoder of this method and these units wrote. */
egc_status egc_decoder_add(egc_decoder *decoder, size_t first, size_t count, egc_reader *reader,
                           float weight, float *sum, egc_error *err) EGC_MUST_CHECK;

/* After all workers' messages of a step: multiplies each unit of sum by its learning-rate
 * correction. */
void egc_decoder_correct(egc_decoder *decoder, size_t first, size_t count, float *sum);

/* True when the method's messages are raw floats whose sum is the message of the sum: such a
 * method can use REDUCE exchanges. */
bool egc_method_is_linear(const egc_method *method);

/* c(tau): what momentum factor masking loses over a window of tau steps, undone (our reading of
 * EGC's learning-rate correction). tau >= 1; c(1) = 1/(1-m), c(inf) = 1. */
double egc_correction_factor(double momentum, double tau);

#endif
