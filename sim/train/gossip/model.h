/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training of a gossip run, apart from time (gossip.c): CHOCO-SGD (Koloskova, Stich, Jaggi 2019,
 * arXiv 1902.00340), each worker with parameters x of its own.
 *
 *     x_i   <- x_i - lr gradient(x_i)                      momentum in the optimiser, of its own
 *     q_i    = compress(x_i - h_i)                         sent to the neighbours
 *     h_i   <- h_i + q_i                                   by i and by all its neighbours
 *     x_i   <- x_i + gamma sum over neighbours j of w (h_j - h_i)
 *
 * h_i is the neighbours' copy of x_i; it begins as the common first parameters. The part that is
 * not sent stays in x_i - h_i, which takes the place of the method's error feedback (core/delta.h).
 * Of egc's momentum-corrected error feedback this leaves, our reading, momentum before the delay:
 * it is in the local step, so that elements sent late have it. Each worker compresses alone
 * (core/coders.h), with state of its own, such as PowerSGD's factors. With nothing lost (method
 * none) and gamma = 1, h_i is x_i and this is D-PSGD (Lian et al. 2017, arXiv 1705.09056), the step
 * before the averaging.
 *
 * A worker continues only when its neighbours' messages of the step have arrived, so that training
 * does not depend on time: the first worker to come to a step computes it for all. All neighbours
 * of j hold the same h_j, which is stored once. */
#ifndef EGC_TRAIN_GOSSIP_MODEL_H
#define EGC_TRAIN_GOSSIP_MODEL_H

#include "compressors/core/decoder.h"
#include "train/core/trainer.h"
#include "train/gossip/graph.h"

/* A step that is computed and not yet over for all workers. */
typedef struct egc_gossip_model_step {
    struct egc_gossip_model_step *next;
    uint64_t step;
    egc_buf *messages;           /* per worker and bucket */
    double *encode_s, *decode_s; /* per worker, of its messages; decoding: by each neighbour */
    egc_step_stats stats;
    egc_step_times times;
    size_t released; /* workers that need it no more */
} egc_gossip_model_step;

/* A worker. */
typedef struct egc_gossip_model_peer {
    egc_replica replica; /* x */
    egc_coders coders;
    egc_decoder *decoder; /* for its messages, shared by all neighbours */
} egc_gossip_model_peer;

typedef struct egc_gossip_model {
    egc_trainer *trainer;
    egc_gossip_graph_kind graph;
    double gamma;
    egc_method method;
    egc_gossip_model_peer *peers;
    float *known;                           /* h: n for each worker */
    float *difference;                      /* n, to work in */
    egc_replica mean;                       /* all workers' parameters averaged */
    egc_gossip_model_step *oldest, *newest; /* under way */
    egc_gossip_model_step *spare;
    egc_arena arena; /* memory of steps */
} egc_gossip_model;

/* Zeroed or failed, it can be given to _fini. MEMORY. */
egc_status egc_gossip_model_init(egc_gossip_model *model, egc_trainer *trainer,
                                 egc_gossip_graph_kind graph, double gamma,
                                 egc_error *err) EGC_MUST_CHECK;
void egc_gossip_model_fini(egc_gossip_model *model);

/* Gives the step that a worker comes to; the first worker computes it. NONFINITE, MEMORY. */
egc_status egc_gossip_model_begin(egc_gossip_model *model, uint64_t step,
                                  egc_gossip_model_step **out, egc_error *err) EGC_MUST_CHECK;

/* The message of a worker for a bucket. */
static inline const egc_buf *egc_gossip_model_message(const egc_gossip_model *model,
                                                      const egc_gossip_model_step *step,
                                                      size_t worker, size_t bucket)
{
    return &step->messages[worker * model->trainer->partition.n_buckets + bucket];
}

/* Ends a step for a worker; the last one reports it. Errors of the sink. */
egc_status egc_gossip_model_finish(egc_gossip_model *model, egc_gossip_model_step *step,
                                   egc_error *err) EGC_MUST_CHECK;

/* A worker has sent all its messages of a step; after the last worker the step is reused. */
void egc_gossip_model_release(egc_gossip_model *model, egc_gossip_model_step *step);

#endif
