/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the workers of a gossip run learn, apart from how long it takes (algorithms/gossip.c):
 * CHOCO-SGD (Koloskova, Stich, Jaggi 2019, arXiv 1902.00340), each with parameters x of its own.
 *
 *     x_i   <- x_i - lr gradient(x_i)                      momentum in the optimiser, of its own
 *     q_i    = compress(x_i - h_i)                         sent to the neighbours
 *     h_i   <- h_i + q_i                                   by i and by all who hear it
 *     x_i   <- x_i + gamma sum over j heard of w (h_j - h_i)
 *
 * h_i is what others know of x_i; it begins as the parameters that all begin with. What is not sent
 * stays in x_i - h_i: that is the memory here (difference.h), and the method's own is not used. Of
 * its momentum-corrected memory this leaves, our reading, momentum before the delay: it is in the
 * local step, so what is sent late has it in. With nothing lost (method none) and gamma = 1, h_i is
 * x_i and this is D-PSGD (Lian et al. 2017, arXiv 1705.09056), the step before the averaging.
 *
 * A worker goes on only when its neighbours' messages of the step are there, so what is learnt does
 * not depend on time: the first worker to come to a step learns it for all. All who hear j hold the
 * same h_j, which is there once. */
#ifndef EGC_TRAIN_GOSSIP_MODEL_H
#define EGC_TRAIN_GOSSIP_MODEL_H

#include "compressors/core/decoder.h"
#include "train/core/trainer.h"
#include "train/gossip/graph.h"

/* A step: learnt, and not yet over for all. */
typedef struct egc_gossip_model_step {
    struct egc_gossip_model_step *next;
    uint64_t step;
    egc_buf *messages;           /* of each worker and bucket */
    double *encode_s, *decode_s; /* of each worker's messages; decoding: by each who
                                    hears them */
    egc_step_stats stats;
    egc_step_times times;
    size_t released; /* workers that need it no more */
} egc_gossip_model_step;

/* A worker. */
typedef struct egc_gossip_model_peer {
    egc_replica replica; /* x */
    egc_coders coders;
    egc_decoder *decoder; /* of its messages, for all who hear it */
} egc_gossip_model_peer;

typedef struct egc_gossip_model {
    egc_trainer *trainer;
    egc_gossip_graph_kind graph;
    double gamma;
    egc_method method;
    egc_gossip_model_peer *peers;
    float *known;                           /* h: n for each worker */
    float *difference;                      /* n, to work in */
    egc_replica mean;                       /* of all workers' parameters */
    egc_gossip_model_step *oldest, *newest; /* under way */
    egc_gossip_model_step *spare;
    egc_arena arena; /* of steps */
} egc_gossip_model;

/* Zeroed or failed, it can be given to _fini. MEMORY. */
egc_status egc_gossip_model_init(egc_gossip_model *model, egc_trainer *trainer,
                                 egc_gossip_graph_kind graph, double gamma,
                                 egc_error *err) EGC_MUST_CHECK;
void egc_gossip_model_fini(egc_gossip_model *model);

/* A worker comes to `step`, which the first learns. NONFINITE, MEMORY. */
egc_status egc_gossip_model_begin(egc_gossip_model *model, uint64_t step,
                                  egc_gossip_model_step **out, egc_error *err) EGC_MUST_CHECK;

/* The message of a worker for a bucket. */
static inline const egc_buf *egc_gossip_model_message(const egc_gossip_model *model,
                                                      const egc_gossip_model_step *step,
                                                      size_t worker, size_t bucket)
{
    return &step->messages[worker * model->trainer->partition.n_buckets + bucket];
}

/* A worker has come to the end of a step: the last reports it. */
egc_status egc_gossip_model_finish(egc_gossip_model *model, egc_gossip_model_step *step,
                                   egc_error *err) EGC_MUST_CHECK;

/* A worker needs the messages of a step no more. */
void egc_gossip_model_release(egc_gossip_model *model, egc_gossip_model_step *step);

#endif
