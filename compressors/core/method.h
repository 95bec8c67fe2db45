/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A method: how one training run compresses. It consists of error feedback, a compressor, codecs
 * and a learning-rate correction; users name the whole in an experiment.
 *
 * One step of one worker, for each unit:
 *     compensate      v <- error feedback and gradient        the vector to send
 *     select/encode                                           bytes, and the elements they carry
 *     update          v <- v - decoded, u <- masked           the error stays for the next step
 * and at the receivers:
 *     decode, add     the mean over workers of the decoded vectors
 *     correct         mean <- c(tau) mean                     the learning-rate correction
 *
 * Most methods send one message per worker. Others need several rounds, in which the messages
 * depend on the result of the round before (egc_rounds in plugin.h). All are driven alike:
 *
 *     egc_encoder_step                           once a step
 *     for each round r < egc_round_plan_count:
 *         egc_encoder_message                    each worker's bytes
 *         the exchange egc_round_plan_at names
 *         egc_decoder_decode                     after the last round: the mean to apply
 *     egc_encoder_finish                         error feedback, where it depends on the result
 */
#ifndef EGC_COMPRESSORS_CORE_METHOD_H
#define EGC_COMPRESSORS_CORE_METHOD_H

#include <stdbool.h>

#include "codec/codec.h"
#include "compressors/plugin.h"
#include "error_feedback/error_feedback.h"

typedef enum egc_granularity {
    EGC_GRANULARITY_LAYER, /* a unit is a layer */
    EGC_GRANULARITY_BUCKET,
    EGC_GRANULARITY_MODEL,
} egc_granularity;

typedef enum egc_nonfinite {
    EGC_NONFINITE_ERROR, /* the step fails, naming the unit */
    EGC_NONFINITE_ZERO,  /* counted and replaced by 0 */
    EGC_NONFINITE_SKIP,  /* the worker sends nothing in this step; its residual stays as it is */
} egc_nonfinite;

typedef enum egc_correction {
    EGC_CORRECTION_NONE,
    EGC_CORRECTION_LAYER,   /* by the receivers, from the density of a unit's messages */
    EGC_CORRECTION_ELEMENT, /* by the sender, from the steps since the element was last sent */
} egc_correction;

typedef enum egc_warmup_curve { EGC_WARMUP_LADDER, EGC_WARMUP_EXPONENTIAL } egc_warmup_curve;

typedef enum egc_residual_lr {
    EGC_RESIDUAL_LR_SENT,    /* a delayed gradient is applied at the rate when it is sent */
    EGC_RESIDUAL_LR_RESCALE, /* at the rate when it was computed */
} egc_residual_lr;

typedef enum egc_entropy { EGC_ENTROPY_NONE, EGC_ENTROPY_RANGE } egc_entropy;

/* Options of every method. */
typedef struct egc_method_options {
    int error_feedback; /* position in egc_error_feedback_types() */
    double momentum;    /* NAN: the workload's, or 0.9 where it has none */
    bool masking;       /* momentum factor masking: u <- 0 where sent */
    bool nesterov;
    double low_pass;       /* b of memory = "lowpass" */
    double residual_decay; /* factor on the residual at every step */
    int residual_lr;       /* egc_residual_lr */
    int index;             /* 0: auto; else 1 + position in egc_codec_index_types() */
    int value;             /* position in egc_codec_value_types() */
    double bloom_rate;     /* see egc_codec_context */
    int bloom_policy;      /* egc_bloom_policy */
    int entropy;           /* egc_entropy, of the whole message */
    bool predivide;        /* divide by the number of workers before the sum, not after */
    int granularity;       /* egc_granularity */
    int64_t min_elements;  /* smaller units are sent dense */
    bool dense_vectors;    /* layers of one dimension are sent dense */
    int64_t warmup;        /* steps over which the density falls to the ratio */
    int warmup_curve;      /* egc_warmup_curve */
    double clip;           /* limit of the L2 norm of all workers' gradients; 0: none */
    double lr_scale;       /* the trainer multiplies the learning rate by it */
    int lr_correction;     /* egc_correction */
    double lr_smoothing;   /* weight of the past in the smoothed density */
    int nonfinite;         /* egc_nonfinite */
} egc_method_options;

extern const egc_param egc_method_option_params[];

#define EGC_METHOD_PARAMS_MAX 2048

typedef struct egc_method {
    const char *name; /* the compressor's or the preset's */
    const egc_compressor_type *compressor;
    egc_method_options options;
    _Alignas(16) unsigned char params[EGC_METHOD_PARAMS_MAX]; /* the compressor's */
} egc_method;

/* A compressor with other defaults, under a name of its own. */
typedef struct egc_method_preset {
    const char *name;
    const char *summary;
    const char *reference;
    const char *compressor;
    const char *settings; /* "key=value;key=value" */
} egc_method_preset;

/* Every preset, NULL-terminated. */
const egc_method_preset *const *egc_method_presets(void);

/* Fills method with the defaults of the compressor or preset called name. NAME, listing both. */
egc_status egc_method_init(egc_method *method, const char *name, egc_error *err) EGC_MUST_CHECK;

/* Sets one option of the method or parameter of its compressor. NAME, listing the valid keys;
 * RANGE, with a message that starts after the key. */
egc_status egc_method_set(egc_method *method, const char *key, const egc_scalar *value,
                          egc_error *err) EGC_MUST_CHECK;

/* The same for text, as users write it: "ratio", "0.01". The message starts with the key. */
egc_status egc_method_set_text(egc_method *method, const char *key, const char *value,
                               egc_error *err) EGC_MUST_CHECK;

/* Sets "key=value;key=value", in this order; NULL and "" set nothing. FORMAT for text of another
 * form; otherwise as egc_method_set_text. */
egc_status egc_method_set_all(egc_method *method, const char *settings,
                              egc_error *err) EGC_MUST_CHECK;

/* UNSUPPORTED, with the reason, when the parts contradict each other or one has no effect. */
egc_status egc_method_check(const egc_method *method, egc_error *err) EGC_MUST_CHECK;

/* Appends the settings that differ from the defaults of the method's name, as
 * "ratio=0.01;index=raw". MEMORY. */
egc_status egc_method_describe(const egc_method *method, egc_buf *out,
                               egc_error *err) EGC_MUST_CHECK;

/* True if error feedback or the compressor apply momentum, so that the optimiser must not. */
bool egc_method_has_momentum(const egc_method *method);

/* True if a sparsifier chooses the values to send, and not only the elements. */
bool egc_method_has_own_values(const egc_method *method);

/* True if the method sends every element of this unit: the unit is too small, has one dimension, or
 * the compressor would not make it shorter. */
bool egc_method_sends_dense(const egc_method *method, const egc_unit *unit);

/* The codecs of the options; NULL for index = "auto". */
const egc_index_codec *egc_method_index_codec(const egc_method *method);
const egc_value_codec *egc_method_value_codec(const egc_method *method);

/* The share of elements kept at `step` by types that aim at one. During warm-up the larger of their
 * ratio and DGC's ladder 1/4, 1/16, 1/64, ... or the exponential ratio^(1/6), ratio^(2/6), ...,
 * in five equal parts of the warm-up; afterwards the ratio. NAN for other types. */
double egc_method_density(const egc_method *method, uint64_t step);

/* c(tau): the factor that restores the step size which momentum factor masking takes away over a
 * window of tau steps (our reading of EGC's learning-rate correction):
 *     c(tau) = 1 / (1 - m (1 - m^tau) / (tau (1 - m))),   c(1) = 1/(1-m), c(inf) = 1. */
double egc_method_correction_factor(double momentum, double tau);

#endif
