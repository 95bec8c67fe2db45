/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the clients of a federated run and their server learn, apart from how long it takes
 * (algorithms/federated.c).
 *
 * A sampled client starts from the model that it was sent and takes local steps of SGD on its own
 * data. What it then sends is the difference of where it started and where it came, compressed by
 * the method: in the place of a gradient, but with the learning rate in it. Its memory lasts from
 * one round that it takes part in to the next. The server applies the weighted mean of what it
 * decodes:
 *
 *     x <- x - server_lr * sum of w_c decoded_c,   w_c = examples_c / examples of all that count
 *
 * Momentum is applied once. "local": in the local steps, from 0 in each round, as FedAvg is mostly
 * run; the method's memory then has none (u = g: the momentum-corrected residual is error
 * feedback), unless the method sets its own. "rounds": local steps are plain, and the method's
 * memory, or for methods without momentum the server (FedAvgM: Hsu, Qi, Brown 2019, arXiv
 * 1909.06335), applies it from round to round: with one local step of all clients this is the
 * synchronous algorithm. */
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

/* How they learn. */
typedef struct egc_federated_model_options {
    int64_t local_epochs, local_steps; /* one of them 0; both: one epoch */
    double server_lr;
    int weighting; /* egc_federated_weighting */
    int momentum;  /* egc_federated_momentum */
} egc_federated_model_options;

typedef struct egc_federated_model_client {
    egc_coders coders;    /* zeroed until it is first sampled */
    egc_decoder *decoder; /* the server's, of its messages: it knows how dense they are */
    uint64_t steps;       /* local ones so far: its position in its own data */
} egc_federated_model_client;

typedef struct egc_federated_model {
    egc_trainer *trainer;
    const egc_federated_model_options *options;
    egc_coder_config coder;
    egc_federated_model_client *client; /* of each worker */
    egc_replica server;
    egc_replica local;         /* of the client in training */
    float *gradient, *average; /* n each */
} egc_federated_model;

/* trainer and options are borrowed. Zeroed or failed, it can be given to _fini. MEMORY. */
egc_status egc_federated_model_init(egc_federated_model *model, egc_trainer *trainer,
                                    const egc_federated_model_options *options,
                                    egc_error *err) EGC_MUST_CHECK;
void egc_federated_model_fini(egc_federated_model *model);

/* How many steps a client takes in a round. */
uint64_t egc_federated_model_local_steps(const egc_federated_model *model, size_t number);

/* Trains a client from `start` (n floats): its messages are in its sender, and in the account.
 * NONFINITE, MEMORY. */
egc_status egc_federated_model_train(egc_federated_model *model, size_t number, const float *start,
                                     egc_error *err) EGC_MUST_CHECK;

/* What came from a client: the message of each bucket. */
typedef struct egc_federated_upload {
    size_t client;
    const egc_buf *messages;
} egc_federated_upload;

/* Moves the server's parameters by the mean of what came, and says how much device time decoding
 * stands for. The order of uploads is that of the sum. n_uploads may be 0. */
egc_status egc_federated_model_apply(egc_federated_model *model,
                                     const egc_federated_upload *uploads, size_t n_uploads,
                                     double *decode_s, egc_error *err) EGC_MUST_CHECK;

#endif
