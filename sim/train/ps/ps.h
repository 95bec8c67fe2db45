/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The structs of the parameter server, shared by its files: ps.c (parameters, shards, life),
 * worker.c, server.c, rounds.c (methods of several rounds) and pull.c (answers).
 *
 * A bucket's parameters are at one server. A worker pushes each bucket's message to its server and
 * gets the bucket's parameters back; when it has all of them it begins the next step.
 *
 *     worker:  compute stream  --ready-->  push stream  ==message==>  one receiver a worker
 *                    ^                       ^                                |
 *                  done                    made                               |
 *                    +----- pull stream -----+  <==answer==  server  <--arrivals
 *
 * A method of several rounds takes several pushes of a bucket: the answer to one leads to the next.
 * There is one connection between a worker and a server: a server receives one push at a time from
 * it, in the order of pushes and then of buckets. Actors run one at a time, so that all of this may
 * be shared; a signal, or the end of a worker, takes no time and no bytes. */
#ifndef EGC_TRAIN_PS_PS_H
#define EGC_TRAIN_PS_PS_H

#include "compressors/core/encoder.h"
#include "compressors/core/merger.h"
#include "train/core/trainer.h"

typedef enum egc_ps_mode { EGC_PS_SYNC, EGC_PS_ASYNC, EGC_PS_SSP } egc_ps_mode;
typedef enum egc_ps_pull {
    EGC_PS_PULL_DENSE,
    EGC_PS_PULL_RECOMPRESS,
    EGC_PS_PULL_SUM,
} egc_ps_pull;

typedef struct egc_ps_params {
    int64_t servers;
    bool colocated;
    int mode; /* egc_ps_mode */
    int64_t bound;
    int pull; /* egc_ps_pull */
    int64_t window;
    double weight; /* NAN: one over the workers */
} egc_ps_params;

typedef struct egc_ps egc_ps;

/* The coders of a bucket's server, for compressed answers. */
typedef struct egc_ps_pull_coder {
    egc_partition partition; /* the bucket alone */
    egc_coders coders;
    egc_decoder *decoder; /* the workers', for its messages */
    double decode_s;      /* device time of its last message's decoding */
} egc_ps_pull_coder;

/* A bucket at its server. Arrays are over workers. */
typedef struct egc_ps_bucket {
    size_t number;
    size_t server;
    uint64_t updates;          /* applied so far */
    size_t arrived;            /* sync: pushes of the step under way */
    egc_buf *pushes;           /* the last of each worker */
    uint64_t *taken;           /* pushes taken */
    uint64_t *seen;            /* updates in the worker's last answer */
    bool *waits;               /* for its answer */
    double *answered_s;        /* when that was sent last */
    egc_buf *answers;          /* async and ssp, dense: the parameters as they were then */
    egc_ps_pull_coder *coders; /* recompress: one for all in sync, else one a worker */
    size_t push;               /* sync: which push of a step the server waits for: see push_round */
    egc_buf reply;             /* sync: the answer to all between rounds, and with pull = "sum" */
    egc_merger *merger;        /* sums pushes as sparse messages; NULL: they are not */
} egc_ps_bucket;

/* Something a server has to look at. */
typedef struct egc_ps_arrival {
    size_t worker;
    egc_ps_bucket *bucket; /* NULL: the worker has ended */
} egc_ps_arrival;

typedef struct egc_ps_server {
    egc_ps *ps;
    size_t number;
    int rank;
    egc_transport *transport;
    egc_stream compute;
    egc_semaphore *arrived; /* one signal for each arrival */
    egc_semaphore *credits; /* pushes that it may begin to receive */
    egc_ps_arrival *arrivals;
    size_t next, n_arrivals, room; /* a ring */
    bool *gone;                    /* per worker: it has ended */
    size_t n_gone;
    egc_request **answers; /* under way: at most window, a ring */
    size_t oldest, n_answers;
} egc_ps_server;

typedef struct egc_ps_worker {
    egc_ps *ps;
    size_t rank;
    egc_transport *transport;
    egc_stream compute, compression, reception;
    egc_coders coders;
    egc_decoder *decoder;   /* async and ssp: the servers', of this worker's pushes */
    egc_replica *replica;   /* used for its gradients; sync: the servers', which is the same */
    egc_replica own;        /* async and ssp */
    egc_semaphore *begun;   /* one signal a step */
    egc_semaphore *ready;   /* one for each compressed bucket */
    egc_semaphore *made;    /* one for each message of a later round */
    egc_semaphore *done;    /* one for each bucket whose parameters are here */
    egc_semaphore **pushed; /* for each server, one for each push under way to it */
    egc_request **pushes, **pulls; /* per bucket */
    egc_buf *pulled;               /* per bucket */
    uint64_t step;
    bool ended;

    /* The step under way: */
    double loss;
    double delay;
    double compress_s, decompress_s, comm_s;
    double computed_s; /* when the backward pass ended; INFINITY before */
    double busy_after; /* the streams' own work since then */
    size_t under_way;  /* buckets pushed and not back */
    double under_way_since;
} egc_ps_worker;

typedef struct egc_ps_receiver {
    egc_ps_server *server;
    egc_ps_worker *worker;
    egc_stream connection; /* the worker's */
} egc_ps_receiver;

struct egc_ps {
    egc_trainer trainer;
    const egc_ps_params *params;
    egc_method down; /* the servers' method; pull = "recompress" */
    size_t n_workers, n_servers, n_buckets;
    size_t n_rounds;                       /* sync: of the method; else 1: workers compress alone */
    size_t n_pushes;                       /* pushes per bucket and step */
    size_t push_round[EGC_ROUNDS_MAX + 1]; /* the round of each of them */
    egc_merge_rule merge;                  /* the rule of exchange = a sum of sparse messages */
    uint64_t tickets;                      /* gradients that nobody has begun yet */
    double weight;                         /* weight of an update */
    egc_ps_worker *workers;
    egc_ps_server *servers;
    egc_ps_receiver *receivers; /* by server and worker */
    egc_ps_bucket *buckets;
    egc_decoder *decoder;      /* sync: of all workers' pushes */
    egc_replica replica;       /* the servers' */
    float *average;            /* the decoded mean of pushes */
    float *gradient, *scratch; /* to work with between two waits */
};

static inline const egc_bucket *egc_ps_range(const egc_ps *all, const egc_ps_bucket *bucket)
{
    return &all->trainer.partition.buckets[bucket->number];
}

/* ---- worker.c
 * ----------------------------------------------------------------------------- */

egc_status egc_ps_worker_compute_stream(void *worker, egc_error *err) EGC_MUST_CHECK;
egc_status egc_ps_worker_push_stream(void *worker, egc_error *err) EGC_MUST_CHECK;
egc_status egc_ps_worker_pull_stream(void *worker, egc_error *err) EGC_MUST_CHECK;

/* ---- server.c
 * ----------------------------------------------------------------------------- */

egc_status egc_ps_server_receive(void *receiver, egc_error *err) EGC_MUST_CHECK;
egc_status egc_ps_server_run(void *server, egc_error *err) EGC_MUST_CHECK;

/* Notifies the server of an arrival; takes no time. bucket NULL: the worker has ended. */
void egc_ps_server_notify(egc_ps_server *server, size_t worker, egc_ps_bucket *bucket);

/* ---- rounds.c -------------------------------------------------------------------------------- */

/* Finds which rounds begin with pushes. */
void egc_ps_rounds_init(egc_ps *all);

/* Sync: a worker makes the message of a bucket for the given push of the step. NONFINITE, MEMORY.
 */
egc_status egc_ps_rounds_write(egc_ps_worker *worker, size_t push, size_t bucket,
                               egc_error *err) EGC_MUST_CHECK;

/* Sync: all workers have pushed a bucket. Decodes the round; bucket->push is 0 after the last, when
 * the mean is in the bucket's place in all->average. Adds the device time. FORMAT, NONFINITE,
 * MEMORY. */
egc_status egc_ps_rounds_decode(egc_ps *all, egc_ps_bucket *bucket, double *decode_s,
                                egc_error *err) EGC_MUST_CHECK;

/* Sync: a worker decodes the reply to a push that was not the last, and makes its next message. */
egc_status egc_ps_rounds_next(egc_ps_worker *worker, const egc_ps_bucket *bucket, size_t push,
                              const egc_buf *reply, double *decode_s,
                              egc_error *err) EGC_MUST_CHECK;

/* ---- pull.c
 * ------------------------------------------------------------------------------- */

/* The method of servers. UNSUPPORTED when the workers' has none. */
egc_status egc_ps_pull_method(const egc_train_config *config, egc_method *out,
                              egc_error *err) EGC_MUST_CHECK;

/* The coders of a bucket, for compressed answers. Freed by egc_ps_pull_coder_fini. MEMORY. */
egc_status egc_ps_pull_coder_init(egc_ps_pull_coder *coder, const egc_ps *all,
                                  const egc_ps_bucket *bucket, size_t number,
                                  egc_error *err) EGC_MUST_CHECK;
void egc_ps_pull_coder_fini(egc_ps_pull_coder *coder);

/* Sync: compresses the bucket's average, replaces it by its decoded message, and gives the device
 * time. NONFINITE, MEMORY. */
egc_status egc_ps_pull_compress_average(egc_ps *all, egc_ps_bucket *bucket, double *encode_s,
                                        egc_error *err) EGC_MUST_CHECK;

/* Async and ssp: compresses the difference of the servers' parameters to the worker's. NONFINITE,
 * MEMORY. */
egc_status egc_ps_pull_compress_difference(egc_ps *all, egc_ps_bucket *bucket,
                                           const egc_ps_worker *worker, double *encode_s,
                                           egc_error *err) EGC_MUST_CHECK;

/* The server's answer to a worker; it stays in place until the worker pushes again. MEMORY. */
egc_status egc_ps_pull_answer(egc_ps *all, egc_ps_bucket *bucket, size_t worker, egc_reader *out,
                              egc_error *err) EGC_MUST_CHECK;

/* The worker applies an answer; *decode_s is the device time of decoding it. FORMAT, NONFINITE,
 * MEMORY. */
egc_status egc_ps_pull_decode_answer(egc_ps_worker *worker, egc_ps_bucket *bucket,
                                     const egc_buf *answer, double *decode_s,
                                     egc_error *err) EGC_MUST_CHECK;

#endif
