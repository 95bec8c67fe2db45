/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/trace/record.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "train/core/optimizer.h"
#include "workloads/trace/writer.h"

/* ---- options -------------------------------------------------------------------------------- */

egc_status egc_record_options_init(egc_record_options *options, egc_error *err)
{
    egc_status status = egc_workload_find("train", &options->workload, err);
    if (status)
        return status;
    options->workload_params = egc_calloc(1, options->workload->params_size);
    if (!options->workload_params)
        return egc_fail_memory(err, options->workload->params_size);
    egc_param_init(options->workload->params, options->workload_params);
    return EGC_OK;
}

static egc_status fail_unknown(const egc_param *table, const char *name, egc_error *err)
{
    egc_buf names = {0};
    egc_status status = egc_param_names(table, &names, err);
    if (!status)
        status = egc_fail(err, EGC_ERROR_NAME, "--set: unknown parameter \"%s\"; valid: %s", name,
                          (const char *)names.data);
    egc_buf_fini(&names);
    return status;
}

egc_status egc_record_options_set(egc_record_options *options, const char *assignment,
                                  egc_error *err)
{
    char name[64];
    const char *equals = strchr(assignment, '=');
    if (!equals || (size_t)(equals - assignment) >= sizeof name)
        return egc_fail(err, EGC_ERROR_FORMAT, "--set: must be KEY=VALUE, got \"%s\"", assignment);
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    const egc_param *param = egc_param_find(options->workload->params, name);
    if (!param)
        return fail_unknown(options->workload->params, name, err);
    egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = equals + 1};
    egc_status status = egc_param_set(param, options->workload_params, &value, err);
    return status ? egc_error_prefix(err, "--set %s", name) : EGC_OK;
}

void egc_record_options_fini(egc_record_options *options)
{
    egc_free(options->workload_params);
    options->workload_params = NULL;
}

/* ---- the note ------------------------------------------------------------------------------- */

static egc_status describe_param(const egc_record_options *options, const char *name, char *out,
                                 egc_error *err)
{
    egc_buf text = {0};
    const egc_param *param = egc_param_find(options->workload->params, name);
    egc_status status = egc_param_format(param, options->workload_params, &text, err);
    if (!status)
        snprintf(out, EGC_TEXT_LENGTH, "%.*s", (int)text.len, (const char *)text.data);
    egc_buf_fini(&text);
    return status;
}

static egc_status describe_source(const egc_record_options *options, char *out, egc_error *err)
{
    egc_buf text = {0};
    egc_status status =
        egc_param_format_all(options->workload->params, options->workload_params, true, &text, err);
    if (!status)
        snprintf(out, EGC_TEXT_LENGTH, "egc-sim trace record, workload train, seed %lld%s%.*s",
                 (long long)options->seed, text.len ? ", " : "", (int)text.len,
                 text.len ? (const char *)text.data : "");
    egc_buf_fini(&text);
    return status;
}

static egc_status make_note(const egc_record_options *options, const egc_optimizer *optimizer,
                            egc_trace_note *note, egc_error *err)
{
    char batch[EGC_TEXT_LENGTH] = "";
    egc_status status = describe_param(options, "dataset", note->dataset, err);
    if (!status)
        status = describe_param(options, "batch", batch, err);
    if (!status)
        status = describe_source(options, note->source, err);
    long long count = 0;
    sscanf(batch, "%lld", &count);
    note->batch = count;
    note->every = options->every;
    snprintf(note->optimizer, sizeof note->optimizer,
             "sgd lr=%g momentum=%g weight_decay=%g schedule=%s lr_warmup=%llu", optimizer->lr,
             optimizer->momentum, optimizer->weight_decay,
             optimizer->schedule == EGC_LR_SCHEDULE_COSINE ? "cosine" : "constant",
             (unsigned long long)optimizer->lr_warmup);
    return status;
}

/* ---- training ------------------------------------------------------------------------------- */

typedef struct recording {
    const egc_record_options *options;
    egc_workload *workload;
    egc_trace_writer *writer;
    float *parameters, *velocity, *gradient, *sum; /* n_params each */
} recording;

static egc_status add_worker(recording *r, uint64_t step, size_t worker, egc_error *err)
{
    double loss;
    uint64_t every = (uint64_t)r->options->every;
    egc_status status = r->workload->type->gradient(r->workload, step, worker, r->parameters,
                                                    r->gradient, &loss, err);
    if (!status && step % every == 0)
        status = egc_trace_writer_append(r->writer, step / every, worker, r->gradient, loss, err);
    for (size_t i = 0; !status && i < r->workload->n_params; i++)
        r->sum[i] += r->gradient[i];
    return status;
}

static egc_status take_step(recording *r, uint64_t step, egc_error *err)
{
    size_t n = r->workload->n_params, workers = (size_t)r->options->workers;
    egc_status status = EGC_OK;
    memset(r->sum, 0, n * sizeof *r->sum);
    for (size_t worker = 0; !status && worker < workers; worker++)
        status = add_worker(r, step, worker, err);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        r->sum[i] /= (float)workers;
    const egc_optimizer *optimizer = &r->workload->optimizer;
    double lr = egc_optimizer_lr(optimizer, step, (uint64_t)r->options->steps);
    egc_optimizer_apply(optimizer, lr, r->sum, r->velocity, r->parameters, n);
    return EGC_OK;
}

static egc_status train(recording *r, egc_error *err)
{
    size_t n = r->workload->n_params;
    float *vectors = egc_calloc(n, 4 * sizeof *vectors);
    if (!vectors)
        return egc_fail_memory(err, n * 4 * sizeof *vectors);
    r->parameters = vectors;
    r->velocity = vectors + n;
    r->gradient = vectors + 2 * n;
    r->sum = vectors + 3 * n;
    egc_status status = r->workload->type->initialize(r->workload, r->parameters, err);
    for (uint64_t step = 0; !status && step < (uint64_t)r->options->steps; step++)
        status = take_step(r, step, err);
    egc_free(vectors);
    return status;
}

static egc_status record_into(recording *r, egc_error *err)
{
    egc_trace_note note = {0};
    const egc_workload *workload = r->workload;
    egc_status status = make_note(r->options, &workload->optimizer, &note, err);
    if (!status)
        status = egc_trace_writer_new(r->options->path, workload->model, workload->layers,
                                      workload->n_layers, (size_t)r->options->workers, &note,
                                      &r->writer, err);
    if (status)
        return status;
    status = train(r, err);
    egc_status closed = egc_trace_writer_close(r->writer, status ? NULL : err);
    return status ? status : closed;
}

egc_status egc_record(const egc_record_options *options, egc_error *err)
{
    recording r = {.options = options};
    egc_workload_request request = {.workers = (size_t)options->workers,
                                    .steps = (uint64_t)options->steps,
                                    .seed = (uint64_t)options->seed};
    egc_status status =
        egc_workload_new(options->workload, options->workload_params, &request, &r.workload, err);
    if (!status)
        status = record_into(&r, err);
    egc_workload_free(r.workload);
    return status;
}
