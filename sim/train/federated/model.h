/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training by the clients of a federated run and its server, apart from time (federated.c).
 *
 * A sampled client starts from the model that it was sent and takes local steps of SGD on its own
 * data. It sends the difference between its start and its end, compressed by the method: in the
 * place of a gradient, but already multiplied by the learning rate. Its error feedback lasts from
 * one of its rounds to the next. Each client compresses alone (core/coders.h), because clients have
 * weights of their own and may be late. The server applies the weighted mean of the decoded
 * differences:
 *
 *     x <- x - server_lr * sum of w_c decoded_c,   w_c = examples_c / examples of all that count
 *
 * Momentum is applied once. "local": in the local steps, from 0 in each round, as FedAvg is mostly
 * run; the method's error feedback then has none (u = g: the momentum-corrected residual is plain
 * error feedback), unless the method sets its own. "rounds": local steps are plain, and the
 * method's error feedback, or for methods without momentum the server (FedAvgM: Hsu, Qi, Brown
 * 2019, arXiv 1909.06335), applies it from round to round: with one local step of all clients this
 * is the synchronous algorithm. */
#ifndef EGC_TRAIN_FEDERATED_MODEL_H
#define EGC_TRAIN_FEDERATED_MODEL_H

#include "compressors/core/decoder.h"
#include "train/core/trainer.h"

typedef enum egc_federated_weighting {
    EGC_FEDERATED_WEIGHTING_EXAMPLES,
    EGC_FEDERATED_WEIGHTING_EQUAL
} egc_federated_weighting;
typedef enum egc_federated_momentum {
    EGC_FEDERATED_MOMENTUM_LOCAL,
    EGC_FEDERATED_MOMENTUM_ROUNDS
} egc_federated_momentum;

/* Options of the clients' training. */
typedef struct egc_federated_model_options {
    int64_t local_epochs, local_steps; /* one of them 0; both: one epoch */
    double server_lr;
    int weighting; /* egc_federated_weighting */
    int momentum;  /* egc_federated_momentum */
} egc_federated_model_options;

typedef struct egc_federated_model_client {
    egc_coders coders;    /* zeroed until it is first sampled */
    egc_decoder *decoder; /* the server's, for this client's messages: its state follows them */
    uint64_t steps;       /* local ones so far: its position in its own data */
} egc_federated_model_client;

typedef struct egc_federated_model {
    egc_trainer *trainer;
    const egc_federated_model_options *options;
    egc_coder_config coder;
    egc_federated_model_client *client; /* per worker */
    egc_replica server;
    egc_replica local;         /* the client in training */
    float *gradient, *average; /* n each */
} egc_federated_model;

/* trainer and options are borrowed. Zeroed or failed, it can be given to _fini. MEMORY. */
egc_status egc_federated_model_init(egc_federated_model *model, egc_trainer *trainer,
                                    const egc_federated_model_options *options,
                                    egc_error *err) EGC_MUST_CHECK;
void egc_federated_model_fini(egc_federated_model *model);

/* The number of local steps of a client in a round. */
uint64_t egc_federated_model_local_steps(const egc_federated_model *model, size_t number);

/* Trains a client from `start` (n floats). Its messages are in its coders and in the sums of the
 * step. NONFINITE, MEMORY. */
egc_status egc_federated_model_train(egc_federated_model *model, size_t number, const float *start,
                                     egc_error *err) EGC_MUST_CHECK;

/* An upload: the message of each bucket, borrowed. */
typedef struct egc_federated_upload {
    size_t client;
    const egc_buf *messages;
} egc_federated_upload;

/* Moves the server's parameters by the weighted mean of the uploads, summed in their order;
 * *decode_s is the device time of decoding them. n_uploads may be 0. FORMAT, NONFINITE, MEMORY. */
egc_status egc_federated_model_apply(egc_federated_model *model,
                                     const egc_federated_upload *uploads, size_t n_uploads,
                                     double *decode_s, egc_error *err) EGC_MUST_CHECK;

#endif
