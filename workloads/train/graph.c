/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building and running lists of oneDNN primitives (C API of oneDNN 2.6). All objects come from one
 * arena and are linked in the order they were made, for egc_graph_fini to destroy. */
#include "workloads/train/graph.h"

#include <assert.h>
#include <stdint.h>

enum { MAX_ARGS = 24 }; /* an LSTM's gradient takes 20 */

struct egc_op {
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[MAX_ARGS];
    int n_args;
    egc_graph_call *call; /* instead of a primitive */
    void *call_data;
    egc_op *made_before;
    egc_op *next;
};

/* OpenMP's own, declared here because clang finds no omp.h beside gcc's. oneDNN asks the calling
 * thread's setting whenever it makes or executes a primitive; one thread keeps sums in one order
 * and starts no threads that a later fork would lose. */
extern void omp_set_num_threads(int count);

static egc_status check(dnnl_status_t status, const char *what, egc_error *err)
{
    if (status == dnnl_success)
        return EGC_OK;
    if (status == dnnl_out_of_memory)
        return egc_fail(err, EGC_ERROR_MEMORY, "out of memory: oneDNN could not %s", what);
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "oneDNN could not %s (dnnl_status_t %d); version 2.6 or later is needed", what,
                    (int)status);
}

void egc_graph_check(egc_graph *graph, dnnl_status_t status, const char *task)
{
    if (!graph->status)
        graph->status = check(status, task, graph->err);
}

/* Zeroed memory that the graph owns, or NULL after a failure. */
static void *allocate(egc_graph *graph, size_t size)
{
    void *memory = graph->status ? NULL : egc_arena_alloc(&graph->arena, size);
    if (!memory && !graph->status)
        graph->status = egc_fail_memory(graph->err, size);
    return memory;
}

void egc_graph_init(egc_graph *graph, bool training, egc_error *err)
{
    graph->training = training;
    graph->err = err;
    omp_set_num_threads(1);
    egc_graph_check(graph, dnnl_engine_create(&graph->engine, dnnl_cpu, 0), "create a CPU engine");
    if (!graph->status)
        egc_graph_check(
            graph, dnnl_stream_create(&graph->stream, graph->engine, dnnl_stream_default_flags),
            "create a stream");
}

void egc_graph_fini(egc_graph *graph)
{
    for (egc_op *op = graph->ops; op; op = op->made_before) {
        dnnl_primitive_destroy(op->primitive);
        dnnl_primitive_desc_destroy(op->desc);
    }
    for (egc_tensor *tensor = graph->tensors; tensor; tensor = tensor->made_before)
        dnnl_memory_destroy(tensor->memory);
    dnnl_stream_destroy(graph->stream);
    dnnl_engine_destroy(graph->engine);
    egc_arena_fini(&graph->arena);
    *graph = (egc_graph){0};
}

dnnl_prop_kind_t egc_graph_forward_kind(const egc_graph *graph)
{
    return graph->training ? dnnl_forward_training : dnnl_forward_inference;
}

/* ---- tensors --------------------------------------------------------------------------------- */

dnnl_memory_desc_t egc_graph_desc_plain(egc_graph *graph, const dnnl_dim_t *dims, int rank)
{
    dnnl_memory_desc_t desc = {0};
    dnnl_dims_t strides;
    dnnl_dim_t stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= dims[i];
    }
    egc_graph_check(graph, dnnl_memory_desc_init_by_strides(&desc, rank, dims, dnnl_f32, strides),
                    "describe a tensor");
    return desc;
}

dnnl_memory_desc_t egc_graph_desc_any(const dnnl_memory_desc_t *like)
{
    dnnl_memory_desc_t desc = {
        .ndims = like->ndims, .data_type = dnnl_f32, .format_kind = dnnl_format_kind_any};
    for (int i = 0; i < like->ndims; i++)
        desc.dims[i] = desc.padded_dims[i] = like->dims[i];
    return desc;
}

static egc_tensor *make_tensor(egc_graph *graph, const dnnl_memory_desc_t *desc, float *data)
{
    egc_tensor *tensor = allocate(graph, sizeof *tensor);
    if (!tensor)
        return &graph->empty;
    *tensor = (egc_tensor){.desc = *desc, .data = data};
    egc_graph_check(graph, dnnl_memory_create(&tensor->memory, desc, graph->engine, data),
                    "make a tensor");
    if (graph->status)
        return &graph->empty;
    tensor->made_before = graph->tensors;
    graph->tensors = tensor;
    return tensor;
}

egc_tensor *egc_graph_tensor(egc_graph *graph, const dnnl_memory_desc_t *desc)
{
    return make_tensor(graph, desc, allocate(graph, dnnl_memory_desc_get_size(desc)));
}

egc_tensor *egc_graph_outside_tensor(egc_graph *graph, const dnnl_memory_desc_t *desc)
{
    return make_tensor(graph, desc, NULL);
}

egc_tensor *egc_graph_view(egc_graph *graph, const egc_tensor *of, const dnnl_memory_desc_t *desc)
{
    return make_tensor(graph, desc, of->data);
}

egc_status egc_graph_attach(egc_tensor *tensor, float *data, egc_error *err)
{
    tensor->data = data;
    return check(dnnl_memory_set_data_handle(tensor->memory, data), "attach a tensor", err);
}

/* ---- primitives ------------------------------------------------------------------------------ */

static egc_op *make_op(egc_graph *graph)
{
    egc_op *op = allocate(graph, sizeof *op);
    if (op) {
        op->made_before = graph->ops;
        graph->ops = op;
    }
    return op;
}

/* Attributes of a primitive that takes its scratchpad from the caller: the library's own belongs to
 * the thread that made the primitive. NULL after a failure. */
static dnnl_primitive_attr_t make_attributes(egc_graph *graph)
{
    dnnl_primitive_attr_t attributes = NULL;
    if (graph->status)
        return NULL;
    egc_graph_check(graph, dnnl_primitive_attr_create(&attributes), "create attributes");
    egc_graph_check(graph,
                    dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user),
                    "set the scratchpad mode");
    return attributes;
}

egc_op *egc_graph_describe(egc_graph *graph, const_dnnl_op_desc_t desc, const egc_op *forward)
{
    egc_op *op = make_op(graph);
    dnnl_primitive_attr_t attributes = make_attributes(graph);
    if (!graph->status)
        egc_graph_check(graph,
                        dnnl_primitive_desc_create(&op->desc, desc, attributes, graph->engine,
                                                   forward ? forward->desc : NULL),
                        "find a primitive for a layer");
    dnnl_primitive_attr_destroy(attributes);
    return op;
}

const dnnl_memory_desc_t *egc_graph_op_desc(const egc_op *op, int arg)
{
    static const dnnl_memory_desc_t empty = {0};
    return op && op->desc ? dnnl_primitive_desc_query_md(op->desc, dnnl_query_exec_arg_md, arg)
                          : &empty;
}

static void bind(egc_op *op, int arg, const egc_tensor *tensor)
{
    assert(op->n_args < MAX_ARGS);
    op->args[op->n_args++] = (dnnl_exec_arg_t){arg, tensor->memory};
}

static void put_last(egc_graph *graph, egc_phase phase, egc_op *op)
{
    if (graph->last[phase])
        graph->last[phase]->next = op;
    else
        graph->first[phase] = op;
    graph->last[phase] = op;
}

void egc_graph_append(egc_graph *graph, egc_phase phase, egc_op *op, const egc_binding *bindings)
{
    if (graph->status)
        return;
    omp_set_num_threads(1);
    egc_graph_check(graph, dnnl_primitive_create(&op->primitive, op->desc), "create a primitive");
    const dnnl_memory_desc_t *scratchpad = egc_graph_op_desc(op, DNNL_ARG_SCRATCHPAD);
    if (dnnl_memory_desc_get_size(scratchpad) > 0)
        bind(op, DNNL_ARG_SCRATCHPAD, egc_graph_tensor(graph, scratchpad));
    for (const egc_binding *binding = bindings; binding->arg; binding++)
        bind(op, binding->arg, binding->tensor);
    put_last(graph, phase, op);
}

void egc_graph_append_call(egc_graph *graph, egc_phase phase, egc_graph_call *call, void *data)
{
    egc_op *op = make_op(graph);
    if (!op)
        return;
    op->call = call;
    op->call_data = data;
    put_last(graph, phase, op);
}

/* ---- moving data ----------------------------------------------------------------------------- */

static void set_sum(egc_graph *graph, dnnl_primitive_attr_t attributes)
{
    dnnl_post_ops_t ops = NULL;
    egc_graph_check(graph, dnnl_post_ops_create(&ops), "create post-ops");
    egc_graph_check(graph, dnnl_post_ops_append_sum(ops, 1), "append a sum");
    egc_graph_check(graph, dnnl_primitive_attr_set_post_ops(attributes, ops), "set post-ops");
    dnnl_post_ops_destroy(ops);
}

typedef enum transfer { TRANSFER_COPY, TRANSFER_ADD } transfer;

static void append_reorder(egc_graph *graph, egc_phase phase, egc_tensor *from, egc_tensor *to,
                           transfer how)
{
    egc_op *op = make_op(graph);
    dnnl_primitive_attr_t attributes = make_attributes(graph);
    if (how == TRANSFER_ADD && !graph->status)
        set_sum(graph, attributes);
    if (!graph->status)
        egc_graph_check(graph,
                        dnnl_reorder_primitive_desc_create(&op->desc, &from->desc, graph->engine,
                                                           &to->desc, graph->engine, attributes),
                        "reorder a tensor");
    dnnl_primitive_attr_destroy(attributes);
    egc_graph_append(graph, phase, op, EGC_BINDINGS({DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}));
}

static egc_tensor *copy(egc_graph *graph, egc_phase phase, egc_tensor *from,
                        const dnnl_memory_desc_t *desc)
{
    egc_tensor *to = egc_graph_tensor(graph, desc);
    append_reorder(graph, phase, from, to, TRANSFER_COPY);
    return to;
}

egc_tensor *egc_graph_convert(egc_graph *graph, egc_phase phase, egc_tensor *from,
                              const dnnl_memory_desc_t *desc)
{
    return dnnl_memory_desc_equal(&from->desc, desc) ? from : copy(graph, phase, from, desc);
}

egc_tensor *egc_graph_receive(egc_graph *graph, egc_tensor *to, const dnnl_memory_desc_t *desc)
{
    return dnnl_memory_desc_equal(&to->desc, desc) ? to : egc_graph_tensor(graph, desc);
}

void egc_graph_deliver(egc_graph *graph, egc_phase phase, egc_tensor *from, egc_tensor *to)
{
    if (from != to)
        append_reorder(graph, phase, from, to, TRANSFER_COPY);
}

egc_tensor *egc_graph_own(egc_graph *graph, egc_phase phase, egc_tensor *from)
{
    return from->kept ? copy(graph, phase, from, &from->desc) : from;
}

void egc_graph_add(egc_graph *graph, egc_phase phase, egc_tensor *addend, egc_tensor *sum)
{
    append_reorder(graph, phase, addend, sum, TRANSFER_ADD);
}

/* ---- running --------------------------------------------------------------------------------- */

egc_status egc_graph_run(egc_graph *graph, egc_phase phase, egc_error *err)
{
    omp_set_num_threads(1);
    for (const egc_op *op = graph->first[phase]; op; op = op->next) {
        if (op->call) {
            op->call(graph, op->call_data);
            continue;
        }
        egc_status status =
            check(dnnl_primitive_execute(op->primitive, graph->stream, op->n_args, op->args),
                  "execute a primitive", err);
        if (status)
            return status;
    }
    return check(dnnl_stream_wait(graph->stream), "finish", err);
}
