/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libegc: gradient compression for data-parallel training, as a library.
 *
 * The library turns gradients into bytes and the bytes of all workers into their mean gradient. It
 * knows no network and no framework: the caller moves the bytes, by MPI, NCCL, sockets or files.
 *
 * This is the only header to include. It is C99, C11 and C++17; C++ sees the functions as
 * extern "C". Link with `pkg-config --cflags --libs egc`, or in CMake with find_package(egc) and
 * the target egc::egc (egc::egc-static for the static library).
 *
 * Two interfaces share the same code and the same messages:
 *
 *     egc_vector   one vector of floats, methods of one message: new, encode, average, free
 *     egc_worker   a model of many layers in buckets, methods of several rounds, servers
 *
 * Terms, as the papers use them:
 *
 *     worker    one of P processes with a gradient of its own; `rank` is its number, 0 to P - 1
 *     layer     a parameter tensor of the model: a contiguous range of the flat gradient
 *     bucket    adjacent layers whose gradients are exchanged in one message, as in PyTorch DDP
 *     unit      a vector that is compressed as one: a layer, or all layers of a bucket, as the
 *               method's parameter `granularity` says
 *     method    compressor, error feedback, codecs and learning-rate correction under one name
 *     round     one exchange of messages; most methods take one round a step, some up to four
 *     replica   the receiver's state, the same at every worker, from which later rounds are decoded
 *
 * Vectors are float (IEEE 754 binary32) in the machine's order. Lengths count elements where the
 * name says elements, and bytes where it says bytes or `len`.
 *
 * Threads: the library has no global state that calls change. Different threads may use different
 * objects at the same time. One object belongs to one thread at a time, and workers that share
 * working memory (egc_worker_new) belong to the same thread.
 *
 * Determinism: the same seed, gradients and order of calls give the same bytes, on every x86-64
 * CPU. Random draws are derived from (seed, rank, step, unit, round), never from earlier calls.
 *
 * Messages are for readers of the same version of the library: their format has no version number
 * of its own and may change with EGC_VERSION_MINOR while the major version is 0. */
#ifndef EGC_H
#define EGC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/public.h"

/* ---- version ---------------------------------------------------------------------------------
 *
 * The version of this header, to compare with that of the library at run time. The soname is
 * libegc.so.0; it changes whenever a program would have to be compiled again. */
#define EGC_VERSION_MAJOR 0
#define EGC_VERSION_MINOR 1
#define EGC_VERSION_PATCH 0
#define EGC_VERSION_TEXT "0.1.0"
#define EGC_VERSION(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))
#define EGC_VERSION_NUMBER EGC_VERSION(EGC_VERSION_MAJOR, EGC_VERSION_MINOR, EGC_VERSION_PATCH)

/* EGC_VERSION_NUMBER of the library that is loaded: 100 for 0.1.0. Cannot fail. */
EGC_API int egc_version(void);

/* ---- messages --------------------------------------------------------------------------------
 *
 * Bytes that one worker sends. A message made by the library is borrowed from the object that made
 * it; each function says until when. A message handed to the library is read during the call only.
 * The bytes need no alignment. */
typedef struct egc_message {
    const void *data; /* NULL only where len is 0 */
    size_t len;       /* bytes; 0 is a valid message of a worker with nothing to say */
} egc_message;

/* ---- one vector ------------------------------------------------------------------------------
 *
 * Compress, exchange, average in four calls:
 *
 *     egc_vector *v;
 *     egc_vector_new("topk", "ratio=0.01", n, rank, n_workers, &v, &err);
 *     each step:
 *         egc_vector_encode(v, gradient, &message, &err);
 *         ... send message to all workers, receive theirs into messages[0 .. n_workers) ...
 *         egc_vector_average(v, messages, n_workers, average, &err);
 *         ... parameters[i] -= learning_rate * average[i] ...
 *     egc_vector_free(v);
 *
 * Elements that were not sent, and the coding error of those that were, stay in the residual of v
 * and are sent at later steps (error feedback: Seide et al., Interspeech 2014; Stich et al., arXiv
 * 1809.07599; Karimireddy et al., arXiv 1901.09847). So every worker keeps its egc_vector for the
 * whole training. */
typedef struct egc_vector egc_vector;

/* A vector of `elements` floats (1 to 2^32 - 1) at worker `rank` of n_workers (at least 1). Seed 1.
 *
 * method: a name of EGC_LISTING_METHODS, such as "egc", "topk", "qsgd" or "none".
 * parameters: "key=value;key=value", the keys that egc_setup_parameter lists; NULL or "" leaves all
 * at their defaults. All workers give the same method, parameters, elements and n_workers.
 *
 * *out is set on success only; the caller frees it with egc_vector_free. Memory: up to 16 bytes an
 * element of error feedback, and 16 bytes an element of working memory.
 *
 * Errors: NAME for an unknown method or key, RANGE for a value outside its range, for rank >=
 * n_workers and for elements out of range, UNSUPPORTED for parameters that contradict each other
 * and for methods of several rounds, MEMORY. */
EGC_API egc_status egc_vector_new(const char *method, const char *parameters, size_t elements,
                                  size_t rank, size_t n_workers, egc_vector **out,
                                  egc_error *err) EGC_MUST_CHECK;

/* Frees it. Accepts NULL. */
EGC_API void egc_vector_free(egc_vector *vector);

/* Compresses this worker's gradient of the next step.
 *
 * gradient: `elements` floats, read during the call only.
 * message: set to bytes owned by `vector`, valid until the next egc_vector_encode or
 * egc_vector_free.
 *
 * Errors: NONFINITE for NaN or Inf in the gradient (unless the parameter `nonfinite` says zero or
 * skip) and where the residual overflows, MEMORY. */
EGC_API egc_status egc_vector_encode(egc_vector *vector, const float *gradient,
                                     egc_message *message, egc_error *err) EGC_MUST_CHECK;

/* Decodes messages of one step and writes their mean.
 *
 * messages: n_messages (1 to n_workers) messages of different workers in the order of ranks, this
 * worker's own included. The mean of one message is that message decoded.
 * average: room for `elements` floats; receives the mean over the n_messages, to which the method's
 * learning-rate correction is applied.
 *
 * Call it once a step, after egc_vector_encode, at every worker with the same messages: the
 * correction and the error feedback "ef21" remember what was received.
 *
 * Errors: FORMAT for bytes that no worker of this method and length wrote, RANGE for a wrong
 * n_messages, UNSUPPORTED before the first egc_vector_encode and at the second call of a step,
 * NONFINITE, MEMORY. After FORMAT or NONFINITE the content of average is unspecified. */
EGC_API egc_status egc_vector_average(egc_vector *vector, const egc_message *messages,
                                      size_t n_messages, float *average,
                                      egc_error *err) EGC_MUST_CHECK;

/* ---- listings --------------------------------------------------------------------------------
 *
 * The names that parameters take, in a fixed order, with one line about each. */
typedef enum egc_listing {
    EGC_LISTING_METHODS,        /* compressors and presets: the `method` of egc_setup_new */
    EGC_LISTING_ERROR_FEEDBACK, /* values of the parameter `memory` */
    EGC_LISTING_INDEX_CODECS,   /* values of the parameter `index`, beside "auto" */
    EGC_LISTING_VALUE_CODECS,   /* values of the parameter `value` */
} egc_listing;

/* One entry. All texts live as long as the program and are "" where an entry has none. */
typedef struct egc_description {
    const char *name;
    const char *summary;   /* one line */
    const char *formula;   /* methods and error feedback: the definition, in the field's notation */
    const char *size;      /* methods and codecs: the length, as a formula in bits or bytes */
    const char *reference; /* the paper, or "our reading of ..." */
} egc_description;

/* Fills *out with the i-th entry of a listing, i from 0, and returns true; returns false, and
 * leaves *out alone, past the end and for a listing that does not exist. */
EGC_API bool egc_listing_get(egc_listing listing, size_t i, egc_description *out);

/* ---- a setup ---------------------------------------------------------------------------------
 *
 * A setup holds all that the workers of one training agree on: method, parameters, layers, number
 * of workers, seed. Workers copy it: it can be changed or freed once they are made. */
typedef struct egc_setup egc_setup;

/* A method by name, with parameters as egc_vector_new takes them, for 1 worker, seed 1, no layers
 * yet. *out is set on success only; the caller frees it with egc_setup_free.
 *
 * Errors: NAME, RANGE, MEMORY as egc_vector_new. */
EGC_API egc_status egc_setup_new(const char *method, const char *parameters, egc_setup **out,
                                 egc_error *err) EGC_MUST_CHECK;

/* Frees it. Accepts NULL. */
EGC_API void egc_setup_free(egc_setup *setup);

/* Sets one parameter; key and value are read during the call only. egc_worker_new checks that the
 * parameters fit together, so that they can be set in any order.
 *
 * Errors: NAME, listing the valid keys; RANGE, saying the valid values; MEMORY. */
EGC_API egc_status egc_setup_set(egc_setup *setup, const char *key, const char *value,
                                 egc_error *err) EGC_MUST_CHECK;

/* One parameter of a setup's method. `name` and `help` live as long as the program, the other texts
 * until the next call with the same setup. */
typedef struct egc_method_parameter {
    const char *name;
    const char *help;    /* one line */
    const char *valid;   /* "in (0, 1]", or the words */
    const char *initial; /* the value that the method's name stands for */
    const char *value;   /* the value in this setup */
} egc_method_parameter;

/* The number of parameters: first the compressor's own, then those that every method has. */
EGC_API size_t egc_setup_parameters(const egc_setup *setup);

/* Fills *out with the i-th parameter. Errors: RANGE for i past the end, MEMORY. */
EGC_API egc_status egc_setup_parameter(egc_setup *setup, size_t i, egc_method_parameter *out,
                                       egc_error *err) EGC_MUST_CHECK;

/* The number of workers P (at least 1) and the seed of every random draw of the training, both the
 * same at all workers. Errors: RANGE for 0 workers. */
EGC_API egc_status egc_setup_workers(egc_setup *setup, size_t n_workers, uint64_t seed,
                                     egc_error *err) EGC_MUST_CHECK;

/* A layer. The flat gradient is the layers' gradients one after the other, in the order in which
 * they are given. */
typedef struct egc_model_layer {
    const char *name; /* for messages; NULL: "layer 0", "layer 1", ... */
    size_t elements;  /* 1 to 2^32 - 1 */
    size_t rows;      /* matrices: the first dimension, a divisor of elements, by which low-rank
                         methods shape the layer; 0 for vectors such as biases */
    size_t bucket;    /* the bucket it is exchanged with */
} egc_model_layer;

/* The layers of the model; copied, names included. The first layer is in bucket 0, and every
 * further one in the same bucket as the layer before it or in the next, so that buckets are
 * contiguous ranges of the flat gradient. Replaces layers that were given before.
 *
 * The parameter `granularity` says which vectors are compressed as one. "layer", the default: each
 * layer. "bucket", the default of "egc": each bucket, since thresholds are better for fewer, longer
 * vectors. "model": all layers, which must then be in one bucket.
 *
 * Errors: RANGE for no layers, for elements, rows or buckets other than described above, and for a
 * bucket of more than 2^32 - 1 elements; MEMORY. */
EGC_API egc_status egc_setup_layers(egc_setup *setup, const egc_model_layer *layers,
                                    size_t n_layers, egc_error *err) EGC_MUST_CHECK;

/* True if the method applies momentum itself, by its error feedback or compressor. Then the
 * optimiser must be plain SGD, or momentum would count twice (momentum correction: Lin et al.,
 * "Deep Gradient Compression", arXiv 1712.01887). */
EGC_API bool egc_setup_has_momentum(const egc_setup *setup);

/* ---- a worker --------------------------------------------------------------------------------
 *
 * A worker compresses its gradient and decodes the messages of all. Each step it goes through
 *
 *     egc_step_begin(worker, step, lr)
 *     for each bucket, in any order, as soon as backpropagation has made its gradient:
 *         egc_step_gradient(worker, bucket, gradient)
 *         for round = 0 .. egc_worker_rounds(worker) - 1:
 *             egc_step_message(worker, bucket, round, out)
 *             ... the exchange that egc_worker_round(worker, round) names ...
 *             egc_step_absorb(worker, bucket, round, in, n_in, average)
 *                 or egc_step_absorb_sum(worker, bucket, round, sum, average)
 *
 * and applies the averages. Buckets are independent: the messages of one may travel while the
 * gradient of another is still being computed. */
typedef struct egc_worker egc_worker;

/* The `rank` of one that only receives, such as a parameter server: it has no gradient and no error
 * feedback, calls egc_step_begin and absorbs. */
#define EGC_RECEIVER ((size_t)-1)

/* Worker `rank` of the setup's workers.
 *
 * peer: NULL, or a worker of the same thread whose working memory (16 bytes for each element of the
 * longest unit) the new one shares, which saves memory where many workers live in one process. It
 * must have been made for units at least as long. The memory lives until the last of them is freed.
 *
 * *out is set on success only; the caller frees it with egc_worker_free. Memory for each element of
 * the model: 4 bytes a vector of the error feedback (residual, velocity), 4 for the step at which
 * the element was last sent, 4 more in methods of several rounds, and the compressor's own state.
 *
 * Errors: UNSUPPORTED, with the reason, for parameters that contradict each other; RANGE for a rank
 * that is neither below the number of workers nor EGC_RECEIVER, for a setup without layers and for
 * a peer with less working memory; MEMORY. */
EGC_API egc_status egc_worker_new(const egc_setup *setup, size_t rank, egc_worker *peer,
                                  egc_worker **out, egc_error *err) EGC_MUST_CHECK;

/* Frees it, and the messages borrowed from it. Accepts NULL. */
EGC_API void egc_worker_free(egc_worker *worker);

/* Renumbers a worker after others were lost: from the next step on it is worker `rank` of
 * n_workers, at most as many as before. Its residual stays. Call it between two steps, at all
 * workers that remain, with the same n_workers. The rank of an EGC_RECEIVER stays EGC_RECEIVER.
 *
 * Errors: RANGE; UNSUPPORTED for methods with a BROADCAST or ALLTOALL round, whose leader or
 * shards are tied to the first number of workers. */
EGC_API egc_status egc_worker_regroup(egc_worker *worker, size_t rank, size_t n_workers,
                                      egc_error *err) EGC_MUST_CHECK;

/* The number of buckets, and the elements of one of them (0 for a bucket that does not exist). */
EGC_API size_t egc_worker_buckets(const egc_worker *worker);
EGC_API size_t egc_worker_elements(const egc_worker *worker, size_t bucket);

/* A round. An ALLGATHER round whose element is not EGC_ELEMENT_NONE may be done as an all-reduce as
 * well, which sends less from about three workers on; its result is handed in by
 * egc_step_absorb_sum. All messages of such a round have the same length. */
typedef struct egc_round_info {
    egc_collective collective;
    egc_element element;
    size_t n_messages; /* made by egc_step_message: P for ALLTOALL, one for each rank; else 1 */
} egc_round_info;

/* The number of rounds a step takes: 1 to 4, the same at all steps. */
EGC_API size_t egc_worker_rounds(const egc_worker *worker);

/* The exchange and the messages of one round; zeroed for a round that does not exist. */
EGC_API egc_round_info egc_worker_round(const egc_worker *worker, size_t round);

/* True if the first message of a step needs the gradients of all buckets: with the parameters
 * `clip` (the norm is that of the whole gradient) and nonfinite = "skip" (a NaN in any bucket keeps
 * all from being sent). Otherwise a message needs the gradient of its own bucket alone. */
EGC_API bool egc_worker_needs_whole_gradient(const egc_worker *worker);

/* The residual of error feedback: for each element of the model, flat, the sum of gradients that
 * was handed in and not yet sent. Under memory = "residual", without decay, clipping or correction,
 * sent + residual is the sum of all gradients, but for rounding. NULL if the method keeps none
 * (memory = "none" and "ef21") and at an EGC_RECEIVER. Owned by the worker; read it between steps.
 */
EGC_API const float *egc_worker_residual(const egc_worker *worker);

/* ---- a step ----------------------------------------------------------------------------------
 *
 * Every function checks the order of calls: a call out of order returns UNSUPPORTED, and a bucket
 * or round that does not exist RANGE, and both change nothing. A step may be abandoned by beginning
 * the next one; the values in messages that were made and not exchanged are then lost. */

/* Begins a step.
 *
 * step: its number, the same at all workers, larger than that of the step before.
 * lr: the learning rate in force, which residual_lr = "rescale" needs; NAN where there is none. */
EGC_API egc_status egc_step_begin(egc_worker *worker, uint64_t step, double lr,
                                  egc_error *err) EGC_MUST_CHECK;

/* Hands in the gradient of one bucket, once a step.
 *
 * gradient: egc_worker_elements(worker, bucket) floats, the bucket's layers one after the other.
 * Borrowed until the messages of round 0 of this bucket are made; it is not written to.
 *
 * Errors: NONFINITE, naming the layer and the counts, for NaN or Inf (unless the parameter
 * `nonfinite` says zero or skip); MEMORY. */
EGC_API egc_status egc_step_gradient(egc_worker *worker, size_t bucket, const float *gradient,
                                     egc_error *err) EGC_MUST_CHECK;

/* Makes this worker's messages of one round. Rounds are made in order, each once a step, and every
 * round but the first after the one before was absorbed.
 *
 * messages: room for egc_round_info.n_messages; in ALLTOALL rounds the r-th is for rank r. They are
 * owned by the worker and valid until the next messages of this bucket are made. In BROADCAST
 * rounds the message of all but the leader is empty.
 *
 * Errors: NONFINITE where the residual overflows; MEMORY. After either the bucket's step is
 * abandoned: its gradient may have entered the residual, and no further message is made. */
EGC_API egc_status egc_step_message(egc_worker *worker, size_t bucket, size_t round,
                                    egc_message *messages, egc_error *err) EGC_MUST_CHECK;

/* Decodes the messages that this worker received in a round, its own included.
 *
 * messages: in the order of ranks. ALLGATHER and ALLTOALL: one of each worker. BROADCAST: the
 * leader's alone. Methods of one round accept the messages of some workers, 1 to P, and give the
 * mean over these, for servers that do not wait for all; with predivide they need all P.
 *
 * average: in the last round room for the bucket's elements, which receives the mean over workers,
 * learning-rate correction included (EGC, IEEE 8855357, 2019; the formula is our reading of it);
 * then the step is complete for this bucket, and what was sent has left the residual. In other
 * rounds it is ignored and may be NULL.
 *
 * Errors: FORMAT, naming the worker and the layer, for bytes that no worker of this setup can have
 * written and for bytes left over; RANGE for a wrong number of messages; NONFINITE; MEMORY. After
 * FORMAT or NONFINITE this worker's replica may differ from the others': end the training, or make
 * all workers anew. */
EGC_API egc_status egc_step_absorb(egc_worker *worker, size_t bucket, size_t round,
                                   const egc_message *messages, size_t n_messages, float *average,
                                   egc_error *err) EGC_MUST_CHECK;

/* As egc_step_absorb, for the sum of the messages of all P workers, in rounds that can be summed.
 * `sum` has the length of each of them; egc_element_add adds.
 *
 * Errors: as egc_step_absorb; NONFINITE also where the sum overflowed its elements. */
EGC_API egc_status egc_step_absorb_sum(egc_worker *worker, size_t bucket, size_t round,
                                       const egc_message *sum, float *average,
                                       egc_error *err) EGC_MUST_CHECK;

/* The effect of the step on one bucket. Squared norms are sums over its elements; those of the
 * sender are 0 at an EGC_RECEIVER. */
typedef struct egc_bucket_metrics {
    size_t sent;           /* number of elements sent */
    size_t bytes;          /* length of this worker's messages in all rounds, without headers */
    double gradient_norm2; /* the gradient, with 0 for NaN and Inf */
    double input_norm2;    /* gradient and residual together: the input of the compressor */
    double sent_norm2;     /* the values that receivers decode */
    double error_norm2;    /* input minus decoded values */
    double residual_norm2; /* the part of the error that error feedback keeps */
    double correction;     /* factor of the learning-rate correction: mean over units */
    size_t nan_count;      /* in the gradient as handed in */
    size_t inf_count;
} egc_bucket_metrics;

/* Complete once the last round was absorbed, and kept until the next egc_step_gradient of the
 * bucket. Errors: RANGE for a bucket that does not exist. */
EGC_API egc_status egc_step_metrics(const egc_worker *worker, size_t bucket,
                                    egc_bucket_metrics *out, egc_error *err) EGC_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
