/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the parameter server: ps.c has its parameters, its shards and its life, ps_worker.c
 * what workers do, ps_server.c what servers do, ps_pull.c what they answer.
 *
 * A bucket's parameters live at one server. A worker pushes each bucket's message to its server and
 * gets the bucket's parameters back; when it has all of them it goes on.
 *
 *     worker:  compute stream  --ready-->  push stream  ==message==>  one receiver a worker
 *                    ^                                                        |
 *                  done <--  pull stream  <==answer==  server  <--arrivals----+
 *
 * Between a worker and a server there is one connection: a server takes one push at a time from it,
 * in the order of buckets. Actors run one at a time, so that all of this may be shared; what a gate
 * tells, or that a worker has ended, takes no time and no bytes. */
#ifndef EGC_TRAIN_PS_PS_H
#define EGC_TRAIN_PS_PS_H

#include "train/core/trainer.h"

typedef enum ps_mode { PS_SYNC, PS_ASYNC, PS_SSP } ps_mode;
typedef enum ps_pull { PS_PULL_DENSE, PS_PULL_RECOMPRESS } ps_pull;

typedef struct ps_params {
    int64_t servers;
    bool colocated;
    int mode; /* ps_mode */
    int64_t bound;
    int pull; /* ps_pull */
    int64_t window;
    double weight; /* NAN: one over the workers */
} ps_params;

typedef struct ps ps;

/* How what a bucket's server has to say gets compressed and is understood. */
typedef struct ps_coder {
    egc_encoder *encoder;
    egc_decoder *decoder; /* of one message */
    egc_buf message;
    double decoded_s; /* what decoding it took here, for cost = "measured" */
} ps_coder;

/* A bucket at its server. Arrays are over workers. */
typedef struct ps_bucket {
    size_t number;
    size_t server;
    uint64_t updates;   /* applied so far */
    size_t arrived;     /* sync: pushes of the step under way */
    egc_buf *pushes;    /* the last of each worker */
    uint64_t *taken;    /* pushes taken */
    uint64_t *seen;     /* updates in what the worker was answered last */
    bool *waits;        /* for its answer */
    double *answered_s; /* when that was sent last */
    egc_buf *answers;   /* async and ssp, dense: the parameters as they were then */
    ps_coder *coders;   /* recompress: one for all in sync, else one a worker */
} ps_bucket;

/* Something a server has to look at. */
typedef struct ps_arrival {
    size_t worker;
    ps_bucket *bucket; /* NULL: the worker has ended */
} ps_arrival;

typedef struct ps_server {
    ps *ps;
    size_t number;
    int rank;
    egc_transport *transport;
    egc_stream compute;
    egc_gate *arrived; /* one signal for each arrival */
    egc_gate *credits; /* pushes that it may begin to receive */
    ps_arrival *arrivals;
    size_t next, n_arrivals, room; /* a ring */
    bool *gone;                    /* of each worker: it has ended */
    size_t n_gone;
    egc_request **answers; /* under way: at most window, a ring */
    size_t oldest, n_answers;
} ps_server;

typedef struct ps_worker {
    ps *ps;
    size_t rank;
    egc_transport *transport;
    egc_stream compute, compression, reception;
    egc_sender sender;
    egc_decoder *decoder; /* async and ssp: the servers', of this worker's pushes */
    float *parameters;    /* what it computes on; sync: the servers' own, which are the same */
    egc_gate *begun;      /* one signal a step */
    egc_gate *ready;      /* one for each compressed bucket */
    egc_gate *done;       /* one for each bucket that came back */
    egc_gate **pushed;    /* for each server, one for each push under way to it */
    egc_request **pushes, **pulls; /* of each bucket */
    egc_buf *pulled;               /* of each bucket */
    uint64_t step;
    bool ended;

    /* Of the step under way. */
    double loss;
    double delay;
    double compress_s, decompress_s, comm_s;
    double computed_s; /* when the backward pass ended; INFINITY before */
    double busy_after; /* the streams' own work since then */
    size_t under_way;  /* buckets pushed and not back */
    double under_way_since;
} ps_worker;

typedef struct ps_receiver {
    ps_server *server;
    ps_worker *worker;
    egc_stream connection; /* the worker's */
} ps_receiver;

struct ps {
    egc_trainer trainer;
    const ps_params *params;
    egc_method down; /* what servers compress with; pull = "recompress" */
    size_t n_workers, n_servers, n_buckets;
    uint64_t tickets; /* gradients that nobody has begun yet */
    double weight;    /* of an update */
    ps_worker *workers;
    ps_server *servers;
    ps_receiver *receivers; /* by server and worker */
    ps_bucket *buckets;
    egc_decoder *decoder;         /* sync: of all workers' pushes */
    float *parameters, *velocity; /* the servers'; velocity NULL where the memory has it */
    float *average;               /* what a server decoded */
    float *gradient, *scratch;    /* to work with between two waits */
};

static inline const egc_bucket *ps_range(const ps *all, const ps_bucket *bucket)
{
    return &all->trainer.plan.buckets[bucket->number];
}

/* ---- ps_worker.c ----------------------------------------------------------------------------- */

egc_status ps_compute_stream(void *worker, egc_error *err) EGC_MUST_CHECK;
egc_status ps_push_stream(void *worker, egc_error *err) EGC_MUST_CHECK;
egc_status ps_pull_stream(void *worker, egc_error *err) EGC_MUST_CHECK;

/* ---- ps_server.c ----------------------------------------------------------------------------- */

egc_status ps_receive(void *receiver, egc_error *err) EGC_MUST_CHECK;
egc_status ps_serve(void *server, egc_error *err) EGC_MUST_CHECK;

/* Tells the server; takes no time. bucket NULL: the worker has ended. */
void ps_arrive(ps_server *server, size_t worker, ps_bucket *bucket);

/* ---- ps_pull.c ------------------------------------------------------------------------------- */

/* The method of servers. UNSUPPORTED when the workers' has none. */
egc_status ps_pull_method(const egc_training_config *config, egc_method *out,
                          egc_error *err) EGC_MUST_CHECK;

/* The coders of a bucket, where pulls are compressed. Freed by ps_coder_fini. MEMORY. */
egc_status ps_coder_init(ps_coder *coder, const ps *all, const ps_bucket *bucket, size_t number,
                         egc_error *err) EGC_MUST_CHECK;
void ps_coder_fini(ps_coder *coder);

/* Sync: compresses the bucket's average, replaces it by what receivers decode, and says how much
 * device time that stands for. */
egc_status ps_compress_average(ps *all, ps_bucket *bucket, double *encode_s,
                               egc_error *err) EGC_MUST_CHECK;

/* Async and ssp: compresses what the servers' parameters are ahead of the worker's. */
egc_status ps_compress_difference(ps *all, ps_bucket *bucket, const ps_worker *worker,
                                  double *encode_s, egc_error *err) EGC_MUST_CHECK;

/* What the server sends the worker, in memory that stays as it is until the worker pushes again. */
egc_status ps_answer(ps *all, ps_bucket *bucket, size_t worker, egc_reader *out,
                     egc_error *err) EGC_MUST_CHECK;

/* The worker takes an answer in, and says how much device time that stands for. */
egc_status ps_take_answer(ps_worker *worker, ps_bucket *bucket, const egc_buf *answer,
                          double *decode_s, egc_error *err) EGC_MUST_CHECK;

#endif
