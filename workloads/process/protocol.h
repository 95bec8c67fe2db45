/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between the workload `process` and the user's program, protocol version 1, which
 * README.md explains. All numbers are little-endian; structs have no padding. */
#ifndef EGC_WORKLOADS_PROCESS_PROTOCOL_H
#define EGC_WORKLOADS_PROCESS_PROTOCOL_H

#include <stdint.h>

#include "workloads/workload.h"

enum { EGC_PROCESS_VERSION = 1, EGC_PROCESS_MAX_LAYERS = 65536, EGC_PROCESS_MAX_REASON = 511 };

/* Frame before each message, in both directions. */
typedef struct egc_process_frame {
    char kind[4];
    uint32_t zero;
    uint64_t bytes; /* length of the message after this frame */
} egc_process_frame;

/* Request "HELO", answered by "LAYR". */
typedef struct egc_process_hello {
    uint32_t version;
    uint32_t workers;
    uint64_t steps;
    uint64_t seed;
} egc_process_hello;

/* Answer "LAYR": this struct, followed by n_layers egc_process_layer. */
typedef struct egc_process_model {
    uint32_t version;
    uint32_t n_layers;
    double lr;
    double momentum;
    double weight_decay;
    uint32_t schedule; /* egc_lr_schedule */
    uint32_t lr_warmup;
    char name[EGC_LAYER_NAME];
} egc_process_model;

typedef struct egc_process_layer {
    char name[EGC_LAYER_NAME];
    uint64_t shape[EGC_LAYER_DIMS];
    double forward_flops;
    double backward_flops;
    double forward_s;
    double backward_s;
} egc_process_layer;

/* Request "GRAD": this struct, and the parameters unless they equal those sent last. Answered by
 * "GRAD": the loss (double) and the gradient. */
typedef struct egc_process_request {
    uint64_t step;
    uint64_t worker;
} egc_process_request;

/* Request "EVAL": the parameters, or nothing, as above. Answered by "EVAL" with this struct. */
typedef struct egc_process_quality {
    double loss;
    double accuracy;
    double perplexity;
} egc_process_quality;

#endif
