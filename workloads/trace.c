/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open loop: recorded gradients are replayed.
 *
 * With `cycle`, a trace of W workers and S steps serves more of both. Steps wrap. Worker w is copy
 * c = w / W of the recorded worker w mod W, and replays it c strides later:
 *
 *     recorded step = (step + c * stride) mod S
 *
 * so that no two copies show the same gradient at the same step before S copies are used up. The
 * stride is the smallest number not below S (sqrt(5) - 1) / 2 without a common divisor with S: by
 * the golden section, the offsets of the first copies, however many, lie far apart. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "workloads/trace/file.h"
#include "workloads/trace/hash.h"
#include "workloads/workload.h"

typedef struct trace_params {
    char file[EGC_TEXT_LENGTH];
    bool cycle;
} trace_params;

typedef struct trace_state {
    egc_trace_file trace;
    uint64_t stride;
} trace_state;

static const egc_param params[] = {
    EGC_PARAM(trace_params, file, TEXT, "file",
              "recorded gradients, an HDF5 file made by `egc-sim trace record`", .def_text = ""),
    EGC_PARAM(trace_params, cycle, BOOL, "cycle",
              "repeat the recording for more workers or steps than it contains", .def = 0),
    EGC_PARAM_END,
};

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t stride_for(uint64_t steps)
{
    uint64_t stride = (uint64_t)ceil((double)steps * (sqrt(5) - 1) / 2);
    while (greatest_common_divisor(stride, steps) != 1)
        stride++;
    return stride;
}

static egc_status check_request(const egc_trace_file *trace, const egc_workload_request *request,
                                egc_error *err)
{
    if (request->workers > trace->workers)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "%s: holds %zu workers, %zu were asked for (cycle = true repeats them)",
                        trace->path, trace->workers, request->workers);
    if (request->steps > trace->steps)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "%s: holds %llu steps, %llu were asked for (cycle = true repeats them)",
                        trace->path, (unsigned long long)trace->steps,
                        (unsigned long long)request->steps);
    return EGC_OK;
}

static uint64_t hash_files(const void *arg)
{
    return egc_trace_hash(((const trace_params *)arg)->file);
}

static egc_status open_trace(egc_workload *workload, const void *arg,
                             const egc_workload_request *request, egc_error *err)
{
    const trace_params *p = arg;
    trace_state *state = workload->state;
    egc_trace_file *trace = &state->trace;
    if (p->file[0] == '\0')
        return egc_fail(err, EGC_ERROR_RANGE, "file: must name a recorded trace, got \"\"");
    egc_status status = egc_trace_file_open(p->file, trace, err);
    if (!status && !p->cycle)
        status = check_request(trace, request, err);
    if (status) {
        egc_trace_file_close(trace);
        return status;
    }
    state->stride = stride_for(trace->steps);
    workload->layers = trace->layers;
    workload->n_layers = trace->n_layers;
    workload->n_params = trace->n_params;
    memcpy(workload->model, trace->model, sizeof trace->model);
    trace->layers = NULL; /* now freed by the core */
    return EGC_OK;
}

static egc_status read_gradient(egc_workload *workload, uint64_t step, size_t worker,
                                const float *parameters, float *gradient, double *loss,
                                egc_error *err)
{
    (void)parameters; /* open loop: recorded gradients do not depend on them */
    trace_state *state = workload->state;
    egc_trace_file *trace = &state->trace;
    uint64_t copy = worker / trace->workers % trace->steps;
    uint64_t offset = copy * (state->stride % trace->steps) % trace->steps;
    uint64_t recorded = (step % trace->steps + offset) % trace->steps;
    return egc_trace_file_read(trace, recorded, worker % trace->workers, gradient, loss, err);
}

static void close_trace(egc_workload *workload)
{
    trace_state *state = workload->state;
    egc_trace_file_close(&state->trace);
}

const egc_workload_type egc_workload_trace = {
    .name = "trace",
    .summary = "recorded gradients of every worker, from an HDF5 file",
    .reference = "workloads/README.md",
    .params = params,
    .params_size = sizeof(trace_params),
    .state_size = sizeof(trace_state),
    .hash_files = hash_files,
    .open = open_trace,
    .gradient = read_gradient,
    .close = close_trace,
};
