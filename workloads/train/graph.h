/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network compiled to oneDNN: two lists of primitives, and the memory they work in.
 *
 * Layers append primitives once, when the network is built; a training step only executes them.
 * The graph owns everything that is made through it, so layers free nothing. Each primitive gets
 * its scratch memory from the graph too, which makes it independent of the thread that runs it. */
#ifndef EGC_WORKLOADS_TRAIN_GRAPH_H
#define EGC_WORKLOADS_TRAIN_GRAPH_H

#include <dnnl.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

typedef enum egc_phase { EGC_PHASE_FORWARD, EGC_PHASE_BACKWARD, EGC_PHASES } egc_phase;

/* oneDNN's memory, and what is in it. */
typedef struct egc_tensor {
    dnnl_memory_desc_t desc;
    dnnl_memory_t memory;
    float *data; /* NULL until egc_graph_attach for outside tensors */
    bool kept;   /* read again later: not to be overwritten */
    struct egc_tensor *made_before;
} egc_tensor;

/* One primitive with its arguments, or a call. */
typedef struct egc_op egc_op;

typedef struct egc_graph {
    bool training;  /* forward passes keep what the backward pass needs */
    uint64_t noise; /* seed of what layers draw in a forward pass: set before a run */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    egc_arena arena;
    egc_tensor *tensors;       /* the newest first */
    egc_op *ops;               /* the newest first */
    egc_op *first[EGC_PHASES]; /* in the order of execution */
    egc_op *last[EGC_PHASES];
} egc_graph;

/* In place, into a zeroed graph. On failure too, egc_graph_fini is due. MEMORY. */
egc_status egc_graph_init(egc_graph *graph, bool training, egc_error *err) EGC_MUST_CHECK;
void egc_graph_fini(egc_graph *graph);

/* EGC_OK for dnnl_success; otherwise an error that names what oneDNN refused to do. */
egc_status egc_graph_check(dnnl_status_t status, const char *what, egc_error *err) EGC_MUST_CHECK;

/* Memory descriptors of floats: in row-major order, and in the order that the primitive likes. */
egc_status egc_graph_desc_plain(const dnnl_dim_t *dims, int rank, dnnl_memory_desc_t *out,
                          egc_error *err) EGC_MUST_CHECK;
dnnl_memory_desc_t egc_graph_desc_any(const dnnl_memory_desc_t *like);

/* A zeroed tensor. */
egc_status egc_graph_tensor(egc_graph *graph, const dnnl_memory_desc_t *desc, egc_tensor **out,
                            egc_error *err) EGC_MUST_CHECK;

/* A tensor whose data lie elsewhere: egc_graph_attach says where before each run. */
egc_status egc_graph_outside_tensor(egc_graph *graph, const dnnl_memory_desc_t *desc,
                                    egc_tensor **out, egc_error *err) EGC_MUST_CHECK;
egc_status egc_graph_attach(egc_tensor *tensor, float *data, egc_error *err) EGC_MUST_CHECK;

/* The primitive that `desc` (one of oneDNN's operation descriptors) describes, not yet in any
 * phase. forward is the op whose backward this is, or NULL. */
egc_status egc_graph_describe(egc_graph *graph, const_dnnl_op_desc_t desc, const egc_op *forward,
                              egc_op **out, egc_error *err) EGC_MUST_CHECK;

/* The layout the op expects for one of its arguments (DNNL_ARG_*). */
const dnnl_memory_desc_t *egc_graph_op_desc(const egc_op *op, int arg);

/* Which tensor is which argument. Lists end with a zeroed item. */
typedef struct egc_binding {
    int arg; /* DNNL_ARG_* */
    egc_tensor *tensor;
} egc_binding;

/* Creates the primitive of op and puts it at the end of phase. */
egc_status egc_graph_append(egc_graph *graph, egc_phase phase, egc_op *op,
                            const egc_binding *bindings, egc_error *err) EGC_MUST_CHECK;

/* What oneDNN has no primitive for (a look-up, a mask): a function at the end of phase. */
typedef void egc_graph_call(const egc_graph *graph, void *data);
egc_status egc_graph_append_call(egc_graph *graph, egc_phase phase, egc_graph_call *call,
                                 void *data, egc_error *err) EGC_MUST_CHECK;

/* *out holds what `from` holds, in the layout `desc`: `from` itself where the layouts are the
 * same, else a new tensor that phase fills by a reorder. */
egc_status egc_graph_convert(egc_graph *graph, egc_phase phase, egc_tensor *from,
                             const dnnl_memory_desc_t *desc, egc_tensor **out,
                             egc_error *err) EGC_MUST_CHECK;

/* The other way round: a tensor in the layout `desc` for a primitive to write, and what it wrote
 * is brought to `to` by egc_graph_deliver after that primitive. */
egc_status egc_graph_receive(egc_graph *graph, egc_tensor *to, const dnnl_memory_desc_t *desc,
                             egc_tensor **out, egc_error *err) EGC_MUST_CHECK;
egc_status egc_graph_deliver(egc_graph *graph, egc_phase phase, egc_tensor *from, egc_tensor *to,
                             egc_error *err) EGC_MUST_CHECK;

/* What `from` holds, for an op that works in place: `from` itself unless it is kept, else a new
 * tensor that phase copies it to. */
egc_status egc_graph_own(egc_graph *graph, egc_phase phase, egc_tensor *from, egc_tensor **out,
                         egc_error *err) EGC_MUST_CHECK;

/* A part of a tensor of the graph, as the descriptor says. It shares the data. */
egc_status egc_graph_view(egc_graph *graph, const egc_tensor *of, const dnnl_memory_desc_t *desc,
                          egc_tensor **out, egc_error *err) EGC_MUST_CHECK;

/* Adds `what` to `to`, of the same shape. */
egc_status egc_graph_add(egc_graph *graph, egc_phase phase, egc_tensor *what, egc_tensor *to,
                         egc_error *err) EGC_MUST_CHECK;

/* Executes a phase, on the calling thread alone. */
egc_status egc_graph_run(egc_graph *graph, egc_phase phase, egc_error *err) EGC_MUST_CHECK;

#endif
