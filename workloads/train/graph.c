/* SPDX-License-Identifier: GPL-3.0-or-later */
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

egc_status egc_graph_check(dnnl_status_t status, const char *what, egc_error *err)
{
    if (status == dnnl_success)
        return EGC_OK;
    if (status == dnnl_out_of_memory)
        return egc_fail(err, EGC_ERROR_MEMORY, "out of memory: oneDNN could not %s", what);
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "oneDNN could not %s (dnnl_status_t %d); version 2.6 or later is needed", what,
                    (int)status);
}

egc_status egc_graph_init(egc_graph *graph, bool training, egc_error *err)
{
    graph->training = training;
    omp_set_num_threads(1);
    egc_status status = egc_graph_check(dnnl_engine_create(&graph->engine, dnnl_cpu, 0),
                                        "create a CPU engine", err);
    if (status)
        return status;
    return egc_graph_check(
        dnnl_stream_create(&graph->stream, graph->engine, dnnl_stream_default_flags),
        "create a stream", err);
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

/* ---- tensors ------------------------------------------------------------------------------- */

egc_status egc_graph_desc_plain(const dnnl_dim_t *dims, int rank, dnnl_memory_desc_t *out, egc_error *err)
{
    dnnl_dims_t strides;
    dnnl_dim_t stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= dims[i];
    }
    return egc_graph_check(dnnl_memory_desc_init_by_strides(out, rank, dims, dnnl_f32, strides),
                           "describe a tensor", err);
}

dnnl_memory_desc_t egc_graph_desc_any(const dnnl_memory_desc_t *like)
{
    dnnl_memory_desc_t desc = {
        .ndims = like->ndims, .data_type = dnnl_f32, .format_kind = dnnl_format_kind_any};
    for (int i = 0; i < like->ndims; i++)
        desc.dims[i] = desc.padded_dims[i] = like->dims[i];
    return desc;
}

static egc_status make_tensor(egc_graph *graph, const dnnl_memory_desc_t *desc, float *data,
                              egc_tensor **out, egc_error *err)
{
    egc_tensor *tensor = egc_arena_alloc(&graph->arena, sizeof *tensor);
    if (!tensor)
        return egc_fail_memory(err, sizeof *tensor);
    *tensor = (egc_tensor){.desc = *desc, .data = data, .made_before = graph->tensors};
    egc_status status = egc_graph_check(
        dnnl_memory_create(&tensor->memory, desc, graph->engine, data), "make a tensor", err);
    if (status)
        return status;
    graph->tensors = tensor;
    *out = tensor;
    return EGC_OK;
}

egc_status egc_graph_tensor(egc_graph *graph, const dnnl_memory_desc_t *desc, egc_tensor **out,
                            egc_error *err)
{
    size_t size = dnnl_memory_desc_get_size(desc);
    float *data = egc_arena_alloc(&graph->arena, size);
    return data ? make_tensor(graph, desc, data, out, err) : egc_fail_memory(err, size);
}

egc_status egc_graph_outside_tensor(egc_graph *graph, const dnnl_memory_desc_t *desc,
                                    egc_tensor **out, egc_error *err)
{
    return make_tensor(graph, desc, NULL, out, err);
}

egc_status egc_graph_attach(egc_tensor *tensor, float *data, egc_error *err)
{
    tensor->data = data;
    return egc_graph_check(dnnl_memory_set_data_handle(tensor->memory, data), "attach a tensor",
                           err);
}

/* ---- primitives ---------------------------------------------------------------------------- */

static egc_status make_op(egc_graph *graph, egc_op **out, egc_error *err)
{
    egc_op *op = egc_arena_alloc(&graph->arena, sizeof *op);
    if (!op)
        return egc_fail_memory(err, sizeof *op);
    op->made_before = graph->ops;
    graph->ops = op;
    *out = op;
    return EGC_OK;
}

/* The user's scratch memory: the library's own belongs to the thread that made the primitive. */
static egc_status make_attributes(dnnl_primitive_attr_t *out, egc_error *err)
{
    egc_status status = egc_graph_check(dnnl_primitive_attr_create(out), "create attributes", err);
    if (status)
        return status;
    return egc_graph_check(dnnl_primitive_attr_set_scratchpad_mode(*out, dnnl_scratchpad_mode_user),
                           "set the scratchpad mode", err);
}

egc_status egc_graph_describe(egc_graph *graph, const_dnnl_op_desc_t desc, const egc_op *forward,
                              egc_op **out, egc_error *err)
{
    dnnl_primitive_attr_t attributes = NULL;
    egc_op *op = NULL;
    egc_status status = make_op(graph, &op, err);
    if (!status)
        status = make_attributes(&attributes, err);
    if (!status)
        status =
            egc_graph_check(dnnl_primitive_desc_create(&op->desc, desc, attributes, graph->engine,
                                                       forward ? forward->desc : NULL),
                            "find a primitive for a layer", err);
    dnnl_primitive_attr_destroy(attributes);
    *out = op;
    return status;
}

const dnnl_memory_desc_t *egc_graph_op_desc(const egc_op *op, int arg)
{
    return dnnl_primitive_desc_query_md(op->desc, dnnl_query_exec_arg_md, arg);
}

static void bind(egc_op *op, int arg, const egc_tensor *tensor)
{
    assert(op->n_args < MAX_ARGS);
    op->args[op->n_args++] = (dnnl_exec_arg_t){arg, tensor->memory};
}

static egc_status bind_scratchpad(egc_graph *graph, egc_op *op, egc_error *err)
{
    const dnnl_memory_desc_t *desc = egc_graph_op_desc(op, DNNL_ARG_SCRATCHPAD);
    if (dnnl_memory_desc_get_size(desc) == 0)
        return EGC_OK;
    egc_tensor *scratchpad;
    egc_status status = egc_graph_tensor(graph, desc, &scratchpad, err);
    if (!status)
        bind(op, DNNL_ARG_SCRATCHPAD, scratchpad);
    return status;
}

static void put_last(egc_graph *graph, egc_phase phase, egc_op *op)
{
    if (graph->last[phase])
        graph->last[phase]->next = op;
    else
        graph->first[phase] = op;
    graph->last[phase] = op;
}

egc_status egc_graph_append(egc_graph *graph, egc_phase phase, egc_op *op,
                            const egc_binding *bindings, egc_error *err)
{
    omp_set_num_threads(1);
    egc_status status =
        egc_graph_check(dnnl_primitive_create(&op->primitive, op->desc), "create a primitive", err);
    if (!status)
        status = bind_scratchpad(graph, op, err);
    if (status)
        return status;
    for (const egc_binding *binding = bindings; binding->arg; binding++)
        bind(op, binding->arg, binding->tensor);
    put_last(graph, phase, op);
    return EGC_OK;
}

egc_status egc_graph_append_call(egc_graph *graph, egc_phase phase, egc_graph_call *call,
                                 void *data, egc_error *err)
{
    egc_op *op = NULL;
    egc_status status = make_op(graph, &op, err);
    if (status)
        return status;
    op->call = call;
    op->call_data = data;
    put_last(graph, phase, op);
    return EGC_OK;
}

static egc_status set_sum(dnnl_primitive_attr_t attributes, egc_error *err)
{
    dnnl_post_ops_t ops = NULL;
    egc_status status = egc_graph_check(dnnl_post_ops_create(&ops), "create post-ops", err);
    if (!status)
        status = egc_graph_check(dnnl_post_ops_append_sum(ops, 1), "append a sum", err);
    if (!status)
        status =
            egc_graph_check(dnnl_primitive_attr_set_post_ops(attributes, ops), "set post-ops", err);
    dnnl_post_ops_destroy(ops);
    return status;
}

typedef enum transfer { TRANSFER_COPY, TRANSFER_ADD } transfer;

static egc_status append_reorder(egc_graph *graph, egc_phase phase, egc_tensor *from,
                                 egc_tensor *to, transfer how, egc_error *err)
{
    dnnl_primitive_attr_t attributes = NULL;
    egc_op *op = NULL;
    egc_status status = make_op(graph, &op, err);
    if (!status)
        status = make_attributes(&attributes, err);
    if (!status && how == TRANSFER_ADD)
        status = set_sum(attributes, err);
    if (!status)
        status = egc_graph_check(dnnl_reorder_primitive_desc_create(&op->desc, &from->desc,
                                                                    graph->engine, &to->desc,
                                                                    graph->engine, attributes),
                                 "reorder a tensor", err);
    dnnl_primitive_attr_destroy(attributes);
    if (status)
        return status;
    const egc_binding bindings[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {0}};
    return egc_graph_append(graph, phase, op, bindings, err);
}

egc_status egc_graph_convert(egc_graph *graph, egc_phase phase, egc_tensor *from,
                             const dnnl_memory_desc_t *desc, egc_tensor **out, egc_error *err)
{
    *out = from;
    if (dnnl_memory_desc_equal(&from->desc, desc))
        return EGC_OK;
    egc_status status = egc_graph_tensor(graph, desc, out, err);
    return status ? status : append_reorder(graph, phase, from, *out, TRANSFER_COPY, err);
}

egc_status egc_graph_receive(egc_graph *graph, egc_tensor *to, const dnnl_memory_desc_t *desc,
                             egc_tensor **out, egc_error *err)
{
    *out = to;
    if (dnnl_memory_desc_equal(&to->desc, desc))
        return EGC_OK;
    return egc_graph_tensor(graph, desc, out, err);
}

egc_status egc_graph_deliver(egc_graph *graph, egc_phase phase, egc_tensor *from, egc_tensor *to,
                             egc_error *err)
{
    return from == to ? EGC_OK : append_reorder(graph, phase, from, to, TRANSFER_COPY, err);
}

egc_status egc_graph_own(egc_graph *graph, egc_phase phase, egc_tensor *from, egc_tensor **out,
                         egc_error *err)
{
    *out = from;
    if (!from->kept)
        return EGC_OK;
    egc_status status = egc_graph_tensor(graph, &from->desc, out, err);
    return status ? status : append_reorder(graph, phase, from, *out, TRANSFER_COPY, err);
}

egc_status egc_graph_view(egc_graph *graph, const egc_tensor *of, const dnnl_memory_desc_t *desc,
                          egc_tensor **out, egc_error *err)
{
    return make_tensor(graph, desc, of->data, out, err);
}

egc_status egc_graph_add(egc_graph *graph, egc_phase phase, egc_tensor *what, egc_tensor *to,
                         egc_error *err)
{
    return append_reorder(graph, phase, what, to, TRANSFER_ADD, err);
}

egc_status egc_graph_run(egc_graph *graph, egc_phase phase, egc_error *err)
{
    omp_set_num_threads(1);
    for (const egc_op *op = graph->first[phase]; op; op = op->next) {
        if (op->call) {
            op->call(graph, op->call_data);
            continue;
        }
        egc_status status = egc_graph_check(
            dnnl_primitive_execute(op->primitive, graph->stream, op->n_args, op->args),
            "execute a primitive", err);
        if (status)
            return status;
    }
    return egc_graph_check(dnnl_stream_wait(graph->stream), "finish", err);
}
