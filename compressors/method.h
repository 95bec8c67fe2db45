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
#include "memory/memory.h"

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
    int memory;      /* position in egc_memory_types() */
    double momentum; /* NAN: the workload's, or 0.9 where it has none */
    bool masking;    /* momentum factor masking: u <- 0 where sent */
    bool nesterov;
    int index;            /* 0: auto; else 1 + position in egc_index_codecs() */
    int value;            /* position in egc_value_codecs() */
    int granularity;      /* egc_granularity */
    int64_t min_elements; /* smaller units are sent dense, as fp32 */
    int64_t warmup;       /* steps over which a RATIO type goes down the ladder to its ratio */
    double clip;          /* limit of the L2 norm of all workers' gradients; 0: none */
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

/* Whether the memory applies momentum, so that the optimiser must not. */
bool egc_method_has_momentum(const egc_method *method);

/* Whether messages are raw floats whose sum is the message of the sum: such a method can use
 * REDUCE exchanges, and its messages carry no header at all. */
bool egc_method_is_linear(const egc_method *method);

/* The share of elements a RATIO type keeps at `step`: its ratio, or during warm-up the rung of
 * DGC's ladder 1/4, 1/16, 1/64, ... that step / warmup has reached, if that is larger. NAN for
 * other types. */
double egc_method_density(const egc_method *method, uint64_t step);

/* c(tau): what momentum factor masking loses over a window of tau steps, undone (our reading of
 * EGC's learning-rate correction):
 *     c(tau) = 1 / (1 - m (1 - m^tau) / (tau (1 - m))),   c(1) = 1/(1-m), c(inf) = 1. */
double egc_correction_factor(double momentum, double tau);

/* ---- workspace ------------------------------------------------------------------------------ */

/* Room to code one unit in. Encoders and decoders borrow it while they run, so that all that are
 * used in turn can share one. */
typedef struct egc_workspace egc_workspace;

/* For units of up to `longest` floats. MEMORY. */
egc_status egc_workspace_new(size_t longest, egc_workspace **out, egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_workspace_free(egc_workspace *workspace);

/* ---- encoding: one per worker -------------------------------------------------------------- */

/* What egc_encoder_step found in a gradient. */
typedef struct egc_gradient_check {
    double norm2;     /* squared L2 norm, non-finite elements left out */
    size_t nan_count; /* treated as the method's nonfinite option says */
    size_t inf_count;
} egc_gradient_check;

/* What one encoding did. Squared norms are sums over the unit's elements. */
typedef struct egc_encoding {
    size_t sent;           /* k; n for units sent dense */
    size_t wire_bytes;     /* appended to the message */
    double bound_bits;     /* the least an exact code could use: see egc_sparse_bound_bits */
    double gradient_norm2; /* of what came in */
    double input_norm2;    /* of what the compressor saw (memory included) */
    double sent_norm2;     /* of what the receiver will decode */
    double error_norm2;    /* of input - decoded */
    double residual_norm2; /* of what the memory keeps */
    double sent_norm1;     /* sum of |decoded| */
    double staleness;      /* sum of |decoded| * mean wait in steps; see egc_encoder_encode */
} egc_encoding;

typedef struct egc_encoder egc_encoder;

/* The compressing side of one worker among n_workers. units are in the order of the flat vector
 * and cover it without gaps; they are copied. momentum is options.momentum resolved. workspace is
 * borrowed for the encoder's life and must have room for the longest unit. MEMORY. */
egc_status egc_encoder_new(const egc_method *method, double momentum, size_t n_workers,
                           const egc_unit *units, size_t n_units, uint64_t seed,
                           egc_workspace *workspace, egc_encoder **out,
                           egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_encoder_free(egc_encoder *encoder);

/* Begins a step with the worker's gradient, the whole flat vector, borrowed until the step's last
 * encoding. Looks for NaN and Inf, and sets the scale of clipping. NONFINITE (naming the unit,
 * with the counts) under nonfinite = "error"; MEMORY. */
egc_status egc_encoder_step(egc_encoder *encoder, uint64_t step, const float *gradient,
                            egc_gradient_check *out, egc_error *err) EGC_MUST_CHECK;

/* Begins the message that carries units [first, first + count). MEMORY. */
egc_status egc_encoder_begin(egc_encoder *encoder, size_t first, size_t count, egc_buf *wire,
                             egc_error *err) EGC_MUST_CHECK;

/* Compensates, encodes and updates one unit, and appends it to the message. Once per unit and
 * step. NONFINITE when the memory overflowed; MEMORY.
 *
 * The mean wait of an element sent j steps after it was last sent is (j - 1) / 2: the mean age of
 * gradients that arrived one a step in between. */
egc_status egc_encoder_encode(egc_encoder *encoder, size_t unit, egc_buf *wire, egc_encoding *out,
                              egc_error *err) EGC_MUST_CHECK;

/* The memory's vectors (n floats), for tests and metrics; NULL when the memory has none.
 * Borrowed. */
const float *egc_encoder_residual(const egc_encoder *encoder);
const float *egc_encoder_velocity(const egc_encoder *encoder);

/* ---- decoding: one per replica of the model ------------------------------------------------- */

typedef struct egc_decoder egc_decoder;

/* As egc_encoder_new. */
egc_status egc_decoder_new(const egc_method *method, double momentum, const egc_unit *units,
                           size_t n_units, egc_workspace *workspace, egc_decoder **out,
                           egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_decoder_free(egc_decoder *decoder);

/* Consumes one worker's message for units [first, first + count) and adds weight * decoded to sum,
 * the flat vector. FORMAT for anything that no encoder of this method and these units wrote, and
 * for bytes left over. */
egc_status egc_decoder_add(egc_decoder *decoder, size_t first, size_t count, const void *message,
                           size_t bytes, float weight, float *sum, egc_error *err) EGC_MUST_CHECK;

/* After all workers' messages of a step: multiplies each unit of sum by its learning-rate
 * correction, from the mean density of the messages, smoothed over steps. */
void egc_decoder_correct(egc_decoder *decoder, size_t first, size_t count, float *sum);

/* The correction last applied to a unit; 1 before the first. */
double egc_decoder_correction(const egc_decoder *decoder, size_t unit);

#endif
