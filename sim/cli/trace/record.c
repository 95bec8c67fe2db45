/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `egc-sim trace record`: data-parallel SGD with the workload "train" on one replica, without
 * compression and without a simulated network; the gradients of all workers are written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/trace/trace.h"
#include "train/core/replica.h"
#include "workloads/trace/writer.h"

typedef struct record_request {
    egc_texts rest;
    const char *path;
    int64_t steps; /* training steps */
    int64_t workers;
    int64_t seed;
    int64_t every; /* steps between two recorded steps */
    egc_texts settings;
} record_request;

static const egc_option options[] = {
    {"out", "FILE", "trace to write; an existing file is replaced",
     EGC_OPTION(record_request, path, TEXT), .required = true},
    {"steps", "N", "training steps (default: 100)", EGC_OPTION(record_request, steps, INT),
     .min = 1, .max = 1e9},
    {"workers", "N", "workers, each with its own batches (default: 4)",
     EGC_OPTION(record_request, workers, INT), .min = 1, .max = 1e6},
    {"seed", "S", "seed of weights and batches (default: 1)", EGC_OPTION(record_request, seed, INT),
     .max = 0x1p53},
    {"every", "N", "record every N-th step, starting with the first (default: 1)",
     EGC_OPTION(record_request, every, INT), .min = 1, .max = 1e9},
    {"set", "KEY=VALUE", "set a parameter of the workload train; may be repeated",
     EGC_OPTION(record_request, settings, TEXTS)},
    {0},
};

typedef struct recording {
    const record_request *request;
    const egc_workload_type *type;
    void *params;
    egc_workload *workload;
    egc_replica replica;
    egc_trace_writer *writer;
    float *gradient, *sum; /* n_params each */
} recording;

/* ---- the workload --------------------------------------------------------------------------- */

static egc_status fail_unknown(const egc_param *table, const char *name, egc_error *err)
{
    egc_buf names = {0};
    egc_param_names(table, &names);
    egc_status status = egc_buf_check(&names, err);
    if (!status)
        status = egc_fail(err, EGC_ERROR_NAME, "--set: unknown parameter \"%s\"; valid: %s", name,
                          egc_text_get(&names));
    egc_buf_fini(&names);
    return status;
}

/* "KEY=VALUE" for a parameter of the workload. */
static egc_status set_param(const recording *r, const char *assignment, egc_error *err)
{
    char name[64];
    const char *equals = strchr(assignment, '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    const egc_param *param = egc_param_find(r->type->params, name);
    const egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = equals + 1};
    if (!param)
        return fail_unknown(r->type->params, name, err);
    egc_status status = egc_param_set(param, r->params, &value, err);
    return status ? egc_error_prefix(err, "--set %s", name) : EGC_OK;
}

static egc_status set_params(recording *r, egc_error *err)
{
    const egc_texts *settings = &r->request->settings;
    egc_status status = egc_workload_find("train", &r->type, err);
    if (status)
        return status;
    r->params = egc_calloc(1, r->type->params_size);
    if (!r->params)
        return egc_fail_memory(err, r->type->params_size);
    egc_param_init(r->type->params, r->params);
    for (size_t i = 0; i < settings->n && !status; i++)
        status = set_param(r, settings->items[i], err);
    return status;
}

/* ---- the note: attributes of the trace ------------------------------------------------------- */

static egc_status describe_param(const recording *r, const char *name, char *out, egc_error *err)
{
    egc_buf text = {0};
    egc_param_format(egc_param_find(r->type->params, name), r->params, &text);
    egc_status status = egc_buf_check(&text, err);
    if (!status)
        snprintf(out, EGC_TEXT_LENGTH, "%s", egc_text_get(&text));
    egc_buf_fini(&text);
    return status;
}

static egc_status describe_source(const recording *r, char *out, egc_error *err)
{
    egc_buf text = {0};
    egc_param_format_all(r->type->params, r->params, true, &text);
    egc_status status = egc_buf_check(&text, err);
    if (!status)
        snprintf(out, EGC_TEXT_LENGTH, "egc-sim trace record, workload train, seed %lld%s%s",
                 (long long)r->request->seed, text.len ? ", " : "", egc_text_get(&text));
    egc_buf_fini(&text);
    return status;
}

static egc_status make_note(const recording *r, egc_trace_note *note, egc_error *err)
{
    const egc_optimizer *optimizer = &r->workload->optimizer;
    char batch[EGC_TEXT_LENGTH] = "";
    egc_status status = describe_param(r, "dataset", note->dataset, err);
    if (!status)
        status = describe_param(r, "batch", batch, err);
    if (!status)
        status = describe_source(r, note->source, err);
    note->batch = strtoll(batch, NULL, 10);
    note->every = r->request->every;
    egc_optimizer_format(optimizer, note->optimizer, sizeof note->optimizer);
    return status;
}

/* ---- training ------------------------------------------------------------------------------- */

static egc_status add_worker(recording *r, uint64_t step, size_t worker, egc_error *err)
{
    double loss;
    uint64_t every = (uint64_t)r->request->every;
    egc_status status = egc_replica_gradient(&r->replica, step, worker, r->gradient, &loss, err);
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)step, worker);
    for (size_t i = 0; i < r->replica.n; i++)
        r->sum[i] += r->gradient[i];
    if (step % every)
        return EGC_OK;
    return egc_trace_writer_append(r->writer, step / every, worker, r->gradient, loss, err);
}

static egc_status take_step(recording *r, uint64_t step, egc_error *err)
{
    size_t n = r->replica.n, workers = (size_t)r->request->workers;
    egc_status status = EGC_OK;
    memset(r->sum, 0, n * sizeof *r->sum);
    for (size_t worker = 0; !status && worker < workers; worker++)
        status = add_worker(r, step, worker, err);
    for (size_t i = 0; i < n; i++)
        r->sum[i] /= (float)workers;
    if (!status)
        egc_replica_update(&r->replica, egc_replica_lr(&r->replica, step), r->sum, 0, n);
    return status;
}

static egc_status train(recording *r, egc_error *err)
{
    const egc_train_config config = {.options = {.steps = r->request->steps}};
    size_t n = r->workload->n_params;
    float *vectors = egc_calloc(n, 2 * sizeof *vectors);
    egc_status status = vectors ? egc_replica_init(&r->replica, &config, r->workload, true, err)
                                : egc_fail_memory(err, n * 2 * sizeof *vectors);
    r->gradient = vectors;
    r->sum = vectors + n;
    for (uint64_t step = 0; !status && step < r->replica.steps; step++)
        status = take_step(r, step, err);
    egc_replica_fini(&r->replica);
    egc_free(vectors);
    return status;
}

/* Interrupted, it leaves a trace of the steps that are complete. */
static egc_status write_trace(recording *r, egc_error *err)
{
    const record_request *request = r->request;
    const egc_workload_request wanted = {.workers = (size_t)request->workers,
                                         .steps = (uint64_t)request->steps,
                                         .seed = (uint64_t)request->seed};
    egc_trace_note note = {0};
    egc_status status = egc_workload_new(r->type, r->params, &wanted, &r->workload, err);
    if (!status)
        status = make_note(r, &note, err);
    if (!status)
        status =
            egc_trace_writer_new(request->path, r->workload->model, r->workload->layers,
                                 r->workload->n_layers, wanted.workers, &note, &r->writer, err);
    if (!status) {
        status = train(r, err);
        egc_status closed = egc_trace_writer_close(r->writer, status ? NULL : err);
        status = status ? status : closed;
    }
    egc_workload_free(r->workload);
    return status;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int run(void *arg)
{
    recording r = {.request = arg};
    egc_error err;
    int exit = EGC_EXIT_DONE;
    if (set_params(&r, &err))
        exit = egc_options_fail(&egc_record_command, "%s", err.message);
    else if (write_trace(&r, &err))
        exit = egc_note_error(&err);
    else
        egc_note("recorded %s", r.request->path);
    egc_free(r.params);
    return exit;
}

const egc_command egc_record_command = {
    .name = "trace record",
    .arguments = "--out FILE [options]",
    .summary = "Trains a network without compression and records the gradients of every worker. "
               "If it is interrupted,\nthe trace holds the steps that were complete",
    .example = "egc-sim trace record --out cnn.h5 --steps 200 --every 10 --set model=cnn",
    .options = options,
    .request_size = sizeof(record_request),
    .defaults = &(const record_request){.steps = 100, .workers = 4, .seed = 1, .every = 1},
    .run = run,
};
