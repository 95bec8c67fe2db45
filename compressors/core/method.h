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
 *     decode-add   the mean of what was decoded over workers
 *     correct      mean <- c(tau) * mean              the learning-rate correction
 *
 * Most methods need one message of each worker. Others take several rounds, in each of which the
 * workers' messages depend on what the round before delivered: see egc_rounds in compressor.h.
 * Whoever drives a method drives every round alike:
 *
 *     egc_encoder_step                           once a step
 *     for each round:
 *         egc_encoder_message                    every worker's bytes
 *         exchange as egc_round_plan_at says
 *         egc_decoder_decode                       after the last round: the average to apply
 *     egc_encoder_finish                         what was not sent stays
 */
#ifndef EGC_COMPRESSORS_CORE_METHOD_H
#define EGC_COMPRESSORS_CORE_METHOD_H

#include <stdbool.h>

#include "compressors/plugin.h"
#include "error_feedback/error_feedback.h"

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

typedef enum egc_correction {
    EGC_CORRECTION_NONE,
    EGC_CORRECTION_LAYER,   /* by the receivers, from the density of a unit's messages */
    EGC_CORRECTION_ELEMENT, /* by the sender, from the wait of each element */
} egc_correction;

typedef enum egc_warmup_curve { EGC_WARMUP_LADDER, EGC_WARMUP_EXPONENTIAL } egc_warmup_curve;

typedef enum egc_residual_lr {
    EGC_RESIDUAL_LR_SENT,    /* a delayed gradient is applied at the rate when it is sent */
    EGC_RESIDUAL_LR_RESCALE, /* at the rate when it arose */
} egc_residual_lr;

typedef enum egc_entropy { EGC_ENTROPY_NONE, EGC_ENTROPY_RANGE } egc_entropy;

/* Options that every method has. */
typedef struct egc_method_options {
    int error_feedback; /* position in egc_error_feedback_types() */
    double momentum;    /* NAN: the workload's, or 0.9 where it has none */
    bool masking;       /* momentum factor masking: u <- 0 where sent */
    bool nesterov;
    double low_pass;       /* b of memory = "lowpass" */
    double residual_decay; /* the residual is multiplied by it at every step */
    int residual_lr;       /* egc_residual_lr */
    int index;             /* 0: auto; else 1 + position in egc_codec_index_types() */
    int value;             /* position in egc_codec_value_types() */
    double bloom_rate;     /* see egc_codec_context */
    int bloom_policy;      /* egc_bloom_policy */
    int entropy;           /* egc_entropy, of the whole message */
    bool predivide;        /* divide by the number of workers before the sum, not after */
    int granularity;       /* egc_granularity */
    int64_t min_elements;  /* smaller units are sent dense */
    bool dense_vectors;    /* so are layers of one dimension */
    int64_t warmup;        /* steps over which the density comes down to the ratio */
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
    const char *name; /* of the compressor or of the preset */
    const egc_compressor_type *compressor;
    egc_method_options options;
    _Alignas(16) unsigned char params[EGC_METHOD_PARAMS_MAX]; /* the compressor's */
} egc_method;

/* A preset is a compressor with other defaults, under a name of its own. */
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
 * RANGE, the message starting after the key. */
egc_status egc_method_set(egc_method *method, const char *key, const egc_scalar *value,
                          egc_error *err) EGC_MUST_CHECK;

/* The same for text, as users write it: "ratio", "0.01". The message starts with the key. */
egc_status egc_method_set_text(egc_method *method, const char *key, const char *value,
                               egc_error *err) EGC_MUST_CHECK;

/* Sets "key=value;key=value", in this order; NULL and "" set nothing. FORMAT for text of another
 * form; otherwise as egc_method_set_text. */
egc_status egc_method_set_all(egc_method *method, const char *settings,
                              egc_error *err) EGC_MUST_CHECK;

/* UNSUPPORTED, with the reason, when the parts make no sense together. */
egc_status egc_method_check(const egc_method *method, egc_error *err) EGC_MUST_CHECK;

/* Appends what differs from the defaults of the method's name, "ratio=0.01;index=raw". MEMORY. */
egc_status egc_method_describe(const egc_method *method, egc_buf *out,
                               egc_error *err) EGC_MUST_CHECK;

/* Whether the memory applies momentum, so that the optimiser must not. */
bool egc_method_has_momentum(const egc_method *method);

/* What happens in a round. ALLGATHER rounds with an element may as well be ALLREDUCE: their
 * messages are elements without any header, whose sum is the message of the sum. */
typedef struct egc_round {
    egc_collective kind;
    egc_element element;
} egc_round;

/* How many rounds a step takes, and what they are. At most EGC_ROUNDS_MAX + 1. */
size_t egc_round_plan_count(const egc_method *method);
egc_round egc_round_plan_at(const egc_method *method, size_t round);

/* The share of elements kept at `step` by types that aim at one: their ratio or, during warm-up, if
 * that is larger, DGC's ladder 1/4, 1/16, 1/64, ... or the exponential ratio^(1/6), ratio^(2/6),
 * ..., each in five equal parts of the warm-up. NAN for other types. */
double egc_method_density(const egc_method *method, uint64_t step);

/* c(tau): what momentum factor masking loses over a window of tau steps, undone (our reading of
 * EGC's learning-rate correction):
 *     c(tau) = 1 / (1 - m (1 - m^tau) / (tau (1 - m))),   c(1) = 1/(1-m), c(inf) = 1. */
double egc_method_correction_factor(double momentum, double tau);

/* ---- coders --------------------------------------------------------------------------------- */

/* Room to code one unit in. Encoders and decoders borrow it while they run, so that all that are
 * used in turn can share one. */
typedef struct egc_workspace egc_workspace;

/* For units of up to `longest` floats. MEMORY. */
egc_status egc_workspace_new(size_t longest, egc_workspace **out, egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_workspace_free(egc_workspace *workspace);

/* What an exchange that sums sparse messages on the way keeps of the sums: see merge.h. */
typedef enum egc_merge_rule {
    EGC_MERGE_NONE,    /* messages arrive as they were sent */
    EGC_MERGE_ALL,     /* the sum of all (SparCML) */
    EGC_MERGE_LARGEST, /* after every sum the k largest (gTop-k) */
    EGC_MERGE_ABOVE,   /* of the sum of all what is above a threshold (Ok-Topk) */
} egc_merge_rule;

/* What encoders and decoders are made from. All that belong to one run get the same. */
typedef struct egc_coder_config {
    const egc_method *method; /* copied */
    double momentum;          /* options.momentum resolved */
    size_t n_workers;
    uint64_t seed;
    const egc_unit *units; /* in the order of the flat vector, which they cover; copied */
    size_t n_units;
    egc_workspace *workspace; /* borrowed; room for the longest unit */
    egc_merge_rule merge;     /* of the exchange; egc_merger_check found nothing */
    uint64_t *support;        /* NULL, or a bit for each element of the flat vector, which encoders
                                 set where they send one that was chosen; borrowed */
} egc_coder_config;

typedef struct egc_encoder egc_encoder;
typedef struct egc_decoder egc_decoder;

/* ---- encoding: one per worker -------------------------------------------------------------- */

/* A step of one worker as it begins. */
typedef struct egc_step_input {
    uint64_t step;
    double lr;             /* in force at this step; NAN where there is none */
    const float *gradient; /* the whole flat vector, borrowed until its last first-round message */
} egc_step_input;

/* What egc_encoder_step found in a gradient. */
typedef struct egc_gradient_check {
    double norm2;     /* squared L2 norm, non-finite elements left out */
    size_t nan_count; /* treated as the method's nonfinite option says */
    size_t inf_count;
} egc_gradient_check;

/* What one step did to one unit. Squared norms are sums over the unit's elements. */
typedef struct egc_encoding {
    size_t sent;       /* k; n for units sent dense */
    size_t wire_bytes; /* in all rounds, before the entropy coder */
    double bound_bits; /* the least an exact code could use: see egc_sparse_message_bound_bits */
    double gradient_norm2; /* of what came in */
    double input_norm2;    /* of what the compressor saw (memory included) */
    double sent_norm2;     /* of what the receiver will decode */
    double error_norm2;    /* of input - decoded */
    double residual_norm2; /* of what the memory keeps */
    double sent_norm1;     /* sum of |decoded| */
    double staleness;      /* sum of |decoded| * mean wait in steps; see egc_encoder_message */
} egc_encoding;

/* Of worker `worker`. replica is the decoder that takes what this worker receives; it may be shared
 * by all workers of a run, is borrowed, and only methods of several rounds and merge rules that
 * drop elements look at it (NULL is fine for others). MEMORY. */
egc_status egc_encoder_new(const egc_coder_config *config, size_t worker,
                           const egc_decoder *replica, egc_encoder **out,
                           egc_error *err) EGC_MUST_CHECK;

/* From now on it is worker `worker` of n_workers, at most as many as before: others were lost. Not
 * for methods whose messages are cut for owners or told by a leader. */
void egc_encoder_regroup(egc_encoder *encoder, size_t worker, size_t n_workers);

/* Accepts NULL. */
void egc_encoder_free(egc_encoder *encoder);

/* Begins a step whose gradient is handed in by units; lr as in egc_step_input. */
void egc_encoder_begin(egc_encoder *encoder, uint64_t step, double lr);

/* Hands in the gradient of units [first, first + count), one after the other, once a step; borrowed
 * until their first-round message. Counts NaN and Inf in them, and sets the factor of clipping from
 * all that was handed in: with clip, or nonfinite = "skip", the last unit must come before the
 * first message. NONFINITE, naming the unit and the counts, under nonfinite = "error"; MEMORY. */
egc_status egc_encoder_gradient(egc_encoder *encoder, size_t first, size_t count,
                                const float *gradient, egc_gradient_check *out,
                                egc_error *err) EGC_MUST_CHECK;

/* Begins a step and hands in the whole gradient. Errors as egc_encoder_gradient. */
egc_status egc_encoder_step(egc_encoder *encoder, const egc_step_input *input,
                            egc_gradient_check *out, egc_error *err) EGC_MUST_CHECK;

/* Appends this worker's message of one round for units [first, first + count): in ALLTOALL rounds
 * the piece for the owner of `shard`, to be called for every shard in turn; in BROADCAST rounds for
 * the leader only. Round 0 compensates; once per unit and step. NONFINITE when the memory
 * overflowed; MEMORY.
 *
 * The mean wait of an element sent j steps after it was last sent is (j - 1) / 2: the mean age of
 * gradients that arrived one a step in between. */
egc_status egc_encoder_message(egc_encoder *encoder, size_t round, size_t first, size_t count,
                               size_t shard, egc_buf *wire, egc_error *err) EGC_MUST_CHECK;

/* After the replica took the last round for these units: what was sent leaves the memory, where
 * that was not known before. */
egc_status egc_encoder_finish(egc_encoder *encoder, size_t first, size_t count,
                              egc_error *err) EGC_MUST_CHECK;

/* What the step did to a unit: complete after egc_encoder_finish. Borrowed. */
const egc_encoding *egc_encoder_encoding(const egc_encoder *encoder, size_t unit);

/* The memory's vectors (n floats), for tests and metrics; NULL when the memory has none.
 * Borrowed. */
const float *egc_encoder_residual(const egc_encoder *encoder);
const float *egc_encoder_velocity(const egc_encoder *encoder);

/* ---- decoding: one per replica of the model ------------------------------------------------- */

/* MEMORY. */
egc_status egc_decoder_new(const egc_coder_config *config, egc_decoder **out,
                           egc_error *err) EGC_MUST_CHECK;

/* As egc_encoder_regroup. */
void egc_decoder_regroup(egc_decoder *decoder, size_t n_workers);

/* Accepts NULL. */
void egc_decoder_free(egc_decoder *decoder);

/* What a round delivered for units [first, first + count). */
typedef struct egc_decoder_input {
    uint64_t step;
    size_t round;
    size_t first;
    size_t count;
    size_t shard;         /* of ALLTOALL rounds: whose pieces these are */
    egc_reader *messages; /* consumed. One a worker in the order of ranks; one where the round was
                             reduced (their sum) or broadcast (the leader's) */
    size_t n_messages;
    bool reduced; /* the one message is the sum of n_workers; always so under a merge rule, where it
                     comes from egc_merger_join */
    size_t origin; /* place in the flat vector of average[0]; 0 where that is the flat vector */
} egc_decoder_input;

/* Takes it in. In the last round writes the mean over workers, learning-rate correction included,
 * into the units' places of `average`, the flat vector from `origin` on (NULL in other rounds).
 * FORMAT for anything that no encoder of this method and these units wrote, and for bytes left
 * over; NONFINITE when a sum overflowed its elements; MEMORY. */
egc_status egc_decoder_decode(egc_decoder *decoder, const egc_decoder_input *delivery,
                              float *average, egc_error *err) EGC_MUST_CHECK;

/* The correction last applied to a unit; 1 before the first. */
double egc_decoder_correction(const egc_decoder *decoder, size_t unit);

#endif
