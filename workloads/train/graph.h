/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network compiled to oneDNN: a list of primitives for each phase, and the tensors they use.
 *
 * Layers append primitives once, when the network is built; a training step only executes them.
 * The graph owns everything that is made through it, so layers free nothing. Each primitive gets
 * its scratchpad from the graph, so any thread may run it.
 *
 * Errors are sticky: the first failure of a building function is kept in `status` and `err`. Later
 * calls do nothing and return an empty tensor, descriptor or op, which the other functions accept.
 * The caller checks `status` once, when the graph is complete. UNSUPPORTED when oneDNN refuses an
 * operation, MEMORY when there is not enough. */
#ifndef EGC_WORKLOADS_TRAIN_GRAPH_H
#define EGC_WORKLOADS_TRAIN_GRAPH_H

#include <dnnl.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

typedef enum egc_phase { EGC_PHASE_FORWARD, EGC_PHASE_BACKWARD, EGC_PHASES } egc_phase;

/* A oneDNN memory object and its data. */
typedef struct egc_tensor {
    dnnl_memory_desc_t desc;
    dnnl_memory_t memory;
    float *data; /* NULL until egc_graph_attach for outside tensors, and in empty tensors */
    bool kept;   /* read again later: must not be overwritten */
    struct egc_tensor *made_before;
} egc_tensor;

/* One primitive with its arguments, or a call. */
typedef struct egc_op egc_op;

typedef struct egc_graph {
    bool training;  /* forward passes save data for the backward pass */
    uint64_t noise; /* seed of the random numbers of a forward pass (dropout): set before a run */
    egc_status status; /* first failure of building, or EGC_OK */
    egc_error *err;    /* message of that failure; borrowed from egc_graph_init */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    egc_arena arena;
    egc_tensor *tensors;       /* the newest first */
    egc_op *ops;               /* the newest first */
    egc_op *first[EGC_PHASES]; /* in the order of execution */
    egc_op *last[EGC_PHASES];
    egc_tensor empty; /* returned after a failure */
} egc_graph;

/* In place, into a zeroed graph. err receives the error of this and all other building functions
 * and must stay valid until the graph is built. egc_graph_fini is due in any case. */
void egc_graph_init(egc_graph *graph, bool training, egc_error *err);
void egc_graph_fini(egc_graph *graph);

/* Records the failure of a oneDNN call. `task` completes "oneDNN could not ...". */
void egc_graph_check(egc_graph *graph, dnnl_status_t status, const char *task);

/* oneDNN's kind of forward pass: one for training saves data for the backward pass. */
dnnl_prop_kind_t egc_graph_forward_kind(const egc_graph *graph);

/* Descriptors of float32 tensors: row-major, and in the layout the primitive prefers. */
dnnl_memory_desc_t egc_graph_desc_plain(egc_graph *graph, const dnnl_dim_t *dims, int rank);
dnnl_memory_desc_t egc_graph_desc_any(const dnnl_memory_desc_t *like);

/* A zeroed tensor. */
egc_tensor *egc_graph_tensor(egc_graph *graph, const dnnl_memory_desc_t *desc);

/* A tensor whose data lie elsewhere: egc_graph_attach sets the address before each run. */
egc_tensor *egc_graph_outside_tensor(egc_graph *graph, const dnnl_memory_desc_t *desc);
egc_status egc_graph_attach(egc_tensor *tensor, float *data, egc_error *err) EGC_MUST_CHECK;

/* The primitive that `desc` (one of oneDNN's operation descriptors) describes, not yet in any
 * phase. forward is the op whose backward this is, or NULL. */
egc_op *egc_graph_describe(egc_graph *graph, const_dnnl_op_desc_t desc, const egc_op *forward);

/* The layout the op expects for one of its arguments (DNNL_ARG_*). Borrowed. */
const dnnl_memory_desc_t *egc_graph_op_desc(const egc_op *op, int arg);

/* Binds an argument of an op to a tensor. Lists end with a zeroed item. */
typedef struct egc_binding {
    int arg; /* DNNL_ARG_* */
    egc_tensor *tensor;
} egc_binding;

#define EGC_BINDINGS(...)                                                                          \
    (const egc_binding[])                                                                          \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* Creates the primitive of op and puts it at the end of phase. */
void egc_graph_append(egc_graph *graph, egc_phase phase, egc_op *op, const egc_binding *bindings);

/* An operation without a oneDNN primitive (a look-up, a mask): a function at the end of phase. */
typedef void egc_graph_call(const egc_graph *graph, void *data);
void egc_graph_append_call(egc_graph *graph, egc_phase phase, egc_graph_call *call, void *data);

/* The data of `from` in the layout `desc`: `from` itself where the layouts are the same, else a new
 * tensor that phase fills by a reorder. */
egc_tensor *egc_graph_convert(egc_graph *graph, egc_phase phase, egc_tensor *from,
                              const dnnl_memory_desc_t *desc);

/* The reverse: a tensor in the layout `desc` for a primitive to write. egc_graph_deliver, called
 * after that primitive is appended, copies the result to `to`. */
egc_tensor *egc_graph_receive(egc_graph *graph, egc_tensor *to, const dnnl_memory_desc_t *desc);
void egc_graph_deliver(egc_graph *graph, egc_phase phase, egc_tensor *from, egc_tensor *to);

/* The data of `from` for an op that works in place: `from` itself unless it is kept, else a new
 * tensor that phase copies it to. */
egc_tensor *egc_graph_own(egc_graph *graph, egc_phase phase, egc_tensor *from);

/* A part of a tensor of the graph, as the descriptor says. It shares the data. */
egc_tensor *egc_graph_view(egc_graph *graph, const egc_tensor *of, const dnnl_memory_desc_t *desc);

/* Adds `addend` to `sum`, of the same shape, in phase. */
void egc_graph_add(egc_graph *graph, egc_phase phase, egc_tensor *addend, egc_tensor *sum);

/* Executes a phase of a graph that was built without failure, on the calling thread alone. MEMORY,
 * UNSUPPORTED. */
egc_status egc_graph_run(egc_graph *graph, egc_phase phase, egc_error *err) EGC_MUST_CHECK;

#endif
