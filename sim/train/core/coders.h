/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compression by one participant: a worker compresses its gradients, a server or a peer its
 * differences. A method takes one or more rounds for each bucket, in one of two ways.
 *
 * Together (sync, local, ps with mode = "sync"): participants share a decoder, which holds the
 * results of the rounds, and the owner of the coders moves the messages. It calls egc_coders_begin,
 * then for each round of each bucket egc_coders_encode by each participant and egc_coders_decode of
 * the result, and egc_coders_finish after the last round.
 *
 * Alone (federated, gossip, ps otherwise): egc_coders_compress plays all rounds at once, as the
 * only worker of a run, and makes one message of them. With more than one round the message is the
 * concatenation of the rounds' messages, each after its length in 4 bytes, and the participant's
 * own decoder keeps state from step to step, such as PowerSGD's factors. The receiver decodes it by
 * egc_coders_decode_alone. */
#ifndef EGC_TRAIN_CORE_CODERS_H
#define EGC_TRAIN_CORE_CODERS_H

#include "compressors/core/decoder.h"
#include "compressors/core/encoder.h"
#include "train/core/partition.h"
#include "train/core/round_result.h"
#include "train/metrics/step_stats.h"

typedef struct egc_coders {
    const egc_train_config *config; /* borrowed: device and cost options */
    const egc_partition *partition; /* borrowed */
    const egc_method *method;       /* borrowed */
    egc_encoder *encoder;
    egc_decoder *own; /* alone, several rounds: holds their results; otherwise NULL */
    size_t n_rounds;
    egc_part_stats *parts; /* per unit, in the round last encoded */
    double nonfinite;      /* NaN and Inf in the last vector */
    double message_bytes;  /* the sum over the messages of the last vector */
    egc_buf *messages;     /* per bucket: the last that _write or _compress made */
    double *encode_s;      /* device time that each of them stands for */
    float *decoded;        /* n, alone and of several rounds */
    egc_buf part;          /* room for one part of a message of several */
} egc_coders;

/* The configuration of coders: the run's method, units and seed, for one worker without momentum.
 * The caller changes other members as needed. Everything is borrowed. */
egc_coder_config egc_coders_config(const egc_train_config *config, const egc_partition *partition,
                                   egc_workspace *workspace);

/* The coders of one participant, whose method is coder->method (borrowed). number seeds its
 * randomness and must be its own in the run: workers have their ranks. shared: the decoder of all
 * participants of a run, borrowed; NULL: this one compresses alone. Zeroed or failed, it can be
 * given to _fini. MEMORY. */
egc_status egc_coders_init(egc_coders *coders, const egc_train_config *config,
                           const egc_partition *partition, const egc_coder_config *coder,
                           size_t number, const egc_decoder *shared, egc_error *err) EGC_MUST_CHECK;
void egc_coders_fini(egc_coders *coders);

/* ---- together -------------------------------------------------------------------------------- */

/* Adds a vector (n floats, borrowed until the last first-round message) to the error feedback.
 * `step` counts the participant's own calls; lr is the learning rate in force, NAN for vectors that
 * are already multiplied by it. NONFINITE, MEMORY; the message names neither step nor participant.
 */
egc_status egc_coders_begin(egc_coders *coders, uint64_t step, double lr, const float *vector,
                            egc_error *err) EGC_MUST_CHECK;

/* Appends the message of one round of a bucket to out; in all-to-all rounds the piece for the owner
 * of `shard`. Its units' entries in coders->parts become those of this message. NONFINITE, MEMORY.
 */
egc_status egc_coders_encode(egc_coders *coders, size_t round, size_t bucket, size_t shard,
                             egc_buf *out, egc_error *err) EGC_MUST_CHECK;

/* The same, into coders->messages[bucket] and with its device time in coders->encode_s: of one
 * shard, or of several the pieces of all, each after its length in 4 bytes. */
egc_status egc_coders_write(egc_coders *coders, size_t round, size_t bucket, size_t n_shards,
                            egc_error *err) EGC_MUST_CHECK;

/* The next part of a message of several: a view of it. FORMAT. */
egc_status egc_coders_next_part(egc_reader *rest, egc_buf *part, egc_error *err) EGC_MUST_CHECK;

/* Device seconds of decoding the result of a round for a bucket; host_s: the host's time for it,
 * used by cost = "measured". */
double egc_coders_decode_time(const egc_coders *coders, size_t bucket, size_t round,
                              const egc_round_result *result, double host_s);

/* Decodes the result of a round for a bucket, and in the last round writes the mean, learning-rate
 * correction included, to the bucket's place in average (n floats; NULL in other rounds). *host_s
 * is the host's time. FORMAT, NONFINITE, MEMORY. */
egc_status egc_coders_decode(egc_decoder *decoder, const egc_bucket *bucket, uint64_t step,
                             size_t round, const egc_round_result *result, float *average,
                             double *host_s, egc_error *err) EGC_MUST_CHECK;

/* Removes the sent part of a bucket from the error feedback, after the decoder had the last round.
 * MEMORY. */
egc_status egc_coders_finish(egc_coders *coders, size_t bucket, egc_error *err) EGC_MUST_CHECK;

/* Adds the encodings of the bucket's units to the sums of the step. */
void egc_coders_count(const egc_coders *coders, size_t bucket, egc_step_stats *stats);

/* Notes the learning-rate correction that a decoder last applied to the bucket's units. */
void egc_coders_note_correction(const egc_decoder *decoder, const egc_bucket *bucket,
                                egc_step_stats *stats);

/* ---- alone ----------------------------------------------------------------------------------- */

/* begin, all rounds and finish of all buckets: the messages are in coders->messages, the device
 * time they stand for in coders->encode_s. Errors as above. */
egc_status egc_coders_compress(egc_coders *coders, uint64_t step, double lr, const float *vector,
                               egc_error *err) EGC_MUST_CHECK;

/* Adds the last vector to the account of a step: all buckets, their messages, its NaN and Inf. */
void egc_coders_count_all(const egc_coders *coders, egc_step_stats *stats);

/* Decodes a bucket's message that these coders made, at any later time, into the bucket's place in
 * out (n floats), and adds the device time to *decode_s. The decoder is the receiver's, for this
 * sender alone. FORMAT, NONFINITE, MEMORY. */
egc_status egc_coders_decode_alone(const egc_coders *coders, egc_decoder *decoder, uint64_t step,
                                   size_t bucket, const egc_buf *message, float *out,
                                   double *decode_s, egc_error *err) EGC_MUST_CHECK;

#endif
