/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closed loop: a program of the user's computes the gradients, and gets the parameters that the
 * averaged update has made.
 *
 * The program is started once for a run, with its standard input and output for us. It is asked one
 * thing at a time and answers it (process/protocol.h); the end of its input is the end of the run.
 * Gradients that are not finite are passed on: the training has diverged, which is a result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "workloads/process/program.h"
#include "workloads/process/protocol.h"
#include "workloads/workload.h"

typedef struct process_params {
    char command[EGC_TEXT_LENGTH];
    double limit;
} process_params;

typedef struct process_state {
    char command[EGC_TEXT_LENGTH];
    egc_program program;
    float *known; /* the parameters that the program was given last */
    bool any_known;
} process_state;

static const egc_param params[] = {
    EGC_PARAM(process_params, command, TEXT, "command",
              "the program and its arguments, for the shell; it runs in the current folder",
              .def_text = ""),
    EGC_PARAM(process_params, limit, REAL, "limit", "how long one answer may take, in real time",
              .quantity = EGC_QUANTITY_TIME, .def = 300, .min = 0, .max = 1e6,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM_END,
};

static egc_status check(const void *params_in, egc_error *err)
{
    const process_params *p = params_in;
    if (p->command[0] == '\0')
        return egc_fail(err, EGC_ERROR_RANGE, "command: must be a program to run, got \"\"");
    return EGC_OK;
}

/* ---- messages ------------------------------------------------------------------------------- */

static egc_status fail(const process_state *state, egc_status status, const char *what,
                       egc_error *err)
{
    return egc_fail(err, status, "\"%s\": %s", state->command, what);
}

/* Begins an exchange. The head (a struct) is followed by the rest (floats), either may be empty. */
static egc_status say(process_state *state, const char *kind, const void *head, size_t head_bytes,
                      const void *rest, size_t rest_bytes, egc_error *err)
{
    egc_process_frame frame = {.bytes = head_bytes + rest_bytes};
    memcpy(frame.kind, kind, sizeof frame.kind);
    egc_program_begin(&state->program);
    egc_status status = egc_program_send(&state->program, &frame, sizeof frame, "a request", err);
    if (!status)
        status = egc_program_send(&state->program, head, head_bytes, "a request", err);
    if (!status)
        status = egc_program_send(&state->program, rest, rest_bytes, "the parameters", err);
    return status;
}

/* "FAIL": the program says itself what is wrong. */
static egc_status take_reason(process_state *state, uint64_t bytes, egc_error *err)
{
    char reason[EGC_PROCESS_MAX_REASON + 1] = {0};
    size_t len = bytes < sizeof reason ? (size_t)bytes : sizeof reason - 1;
    egc_status status = egc_program_receive(&state->program, reason, len, "its reason", err);
    if (status)
        return status;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)reason[i] < ' ' || reason[i] == 127)
            reason[i] = ' ';
    return fail(state, EGC_ERROR_IO, reason, err);
}

static void print_kind(const char kind[4], char out[17])
{
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)kind[i];
        out += c > ' ' && c < 127 ? sprintf(out, "%c", c) : sprintf(out, "\\x%02x", c);
    }
}

/* The next message must be of this kind, with min to max bytes; says how many. */
static egc_status expect(process_state *state, const char *kind, uint64_t min, uint64_t max,
                         const char *what, uint64_t *bytes, egc_error *err)
{
    egc_process_frame frame;
    char got[17];
    egc_status status = egc_program_receive(&state->program, &frame, sizeof frame, what, err);
    if (status)
        return status;
    if (memcmp(frame.kind, "FAIL", sizeof frame.kind) == 0 && frame.zero == 0)
        return take_reason(state, frame.bytes, err);
    print_kind(frame.kind, got);
    if (memcmp(frame.kind, kind, sizeof frame.kind) != 0 || frame.zero != 0)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "\"%s\" must answer with %s (%s), got %s (does it print to its standard "
                        "output?)",
                        state->command, kind, what, got);
    if (frame.bytes < min || frame.bytes > max)
        return egc_fail(err, EGC_ERROR_FORMAT, "\"%s\": %s must be %llu bytes, got %llu",
                        state->command, what, (unsigned long long)min,
                        (unsigned long long)frame.bytes);
    *bytes = frame.bytes;
    return EGC_OK;
}

static egc_status expect_exactly(process_state *state, const char *kind, uint64_t bytes,
                                 const char *what, egc_error *err)
{
    return expect(state, kind, bytes, bytes, what, &bytes, err);
}

/* ---- layers --------------------------------------------------------------------------------- */

static bool is_name(const char *name)
{
    size_t len = strnlen(name, EGC_LAYER_NAME);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 127)
            return false;
    return len > 0 && len < EGC_LAYER_NAME;
}

static bool is_count(double value)
{
    return value >= 0 && isfinite(value);
}

static egc_status take_model(process_state *state, const egc_process_model *model,
                             egc_workload *workload, egc_error *err)
{
    if (model->version != EGC_PROCESS_VERSION)
        return egc_fail(err, EGC_ERROR_FORMAT, "\"%s\": protocol version must be %d, got %u",
                        state->command, EGC_PROCESS_VERSION, model->version);
    if (!is_name(model->name))
        return fail(state, EGC_ERROR_FORMAT, "the model's name must be printable, 1 to 63 bytes",
                    err);
    memcpy(workload->model, model->name, sizeof workload->model);
    workload->optimizer = (egc_optimizer){.lr = model->lr,
                                          .momentum = model->momentum,
                                          .weight_decay = model->weight_decay,
                                          .schedule = (int)model->schedule,
                                          .lr_warmup = model->lr_warmup};
    if (!egc_optimizer_check(&workload->optimizer, err))
        return EGC_OK;
    egc_error_prefix(err, "\"%s\"", state->command);
    return EGC_ERROR_FORMAT;
}

/* What is wrong with a layer, or NULL. */
static const char *take_layer(const egc_process_layer *in, egc_layer *out)
{
    bool ended = false;
    if (!is_name(in->name))
        return "its name must be printable, 1 to 63 bytes";
    memcpy(out->name, in->name, sizeof out->name);
    out->count = 1;
    for (size_t d = 0; d < EGC_LAYER_DIMS; d++) {
        out->shape[d] = in->shape[d];
        ended = ended || in->shape[d] == 0;
        if ((ended && in->shape[d] != 0) || in->shape[0] == 0)
            return "its shape must be dimensions of at least 1, padded with zeros at the end";
        if (!ended && __builtin_mul_overflow(out->count, in->shape[d], &out->count))
            return "its shape holds too many parameters to count";
    }
    if (!is_count(in->forward_flops) || !is_count(in->backward_flops))
        return "its FLOPs must be in [0, inf)";
    if ((!isnan(in->forward_s) && !is_count(in->forward_s)) ||
        (!isnan(in->backward_s) && !is_count(in->backward_s)))
        return "its seconds must be in [0, inf), or NaN where unknown";
    out->forward_flops = in->forward_flops;
    out->backward_flops = in->backward_flops;
    out->forward_s = in->forward_s;
    out->backward_s = in->backward_s;
    return NULL;
}

static egc_status receive_layers(process_state *state, egc_workload *workload, egc_error *err)
{
    size_t bytes;
    for (size_t i = 0; i < workload->n_layers; i++) {
        egc_process_layer layer;
        egc_status status =
            egc_program_receive(&state->program, &layer, sizeof layer, "a layer", err);
        if (status)
            return status;
        const char *fault = take_layer(&layer, &workload->layers[i]);
        if (fault)
            return egc_fail(err, EGC_ERROR_FORMAT, "\"%s\": layer %zu: %s", state->command, i,
                            fault);
        if (__builtin_add_overflow(workload->n_params, workload->layers[i].count,
                                   &workload->n_params) ||
            __builtin_mul_overflow(workload->n_params, sizeof(float), &bytes))
            return fail(state, EGC_ERROR_FORMAT, "layers hold too many parameters to count", err);
    }
    return EGC_OK;
}

static egc_status meet(process_state *state, egc_workload *workload, egc_error *err)
{
    const egc_workload_request *request = &workload->request;
    const egc_process_hello hello = {.version = EGC_PROCESS_VERSION,
                                     .workers = (uint32_t)request->workers,
                                     .steps = request->steps,
                                     .seed = request->seed};
    egc_process_model model;
    uint64_t bytes;
    egc_status status = say(state, "HELO", &hello, sizeof hello, NULL, 0, err);
    if (!status)
        status = expect(state, "LAYR", sizeof model + sizeof(egc_process_layer),
                        sizeof model + EGC_PROCESS_MAX_LAYERS * sizeof(egc_process_layer),
                        "its layers", &bytes, err);
    if (!status)
        status = egc_program_receive(&state->program, &model, sizeof model, "its layers", err);
    if (!status)
        status = take_model(state, &model, workload, err);
    if (status)
        return status;
    if (bytes != sizeof model + model.n_layers * (uint64_t)sizeof(egc_process_layer))
        return egc_fail(err, EGC_ERROR_FORMAT, "\"%s\": %u layers take %llu bytes, got %llu",
                        state->command, model.n_layers,
                        (unsigned long long)(sizeof model +
                                             model.n_layers * (uint64_t)sizeof(egc_process_layer)),
                        (unsigned long long)bytes);
    workload->n_layers = model.n_layers;
    workload->layers = egc_calloc(model.n_layers, sizeof *workload->layers);
    if (!workload->layers)
        return egc_fail_memory(err, model.n_layers * sizeof *workload->layers);
    return receive_layers(state, workload, err);
}

/* ---- opening and closing -------------------------------------------------------------------- */

static void close_process(egc_workload *workload)
{
    process_state *state = workload->state;
    egc_program_stop(&state->program);
    egc_free(state->known);
}

static egc_status open_process(egc_workload *workload, const void *params_in,
                               const egc_workload_request *request, egc_error *err)
{
    const process_params *p = params_in;
    process_state *state = workload->state;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED, "process: needs a little-endian machine");
    if (request->workers > UINT32_MAX)
        return egc_fail(err, EGC_ERROR_RANGE, "process: too many workers: %zu", request->workers);
    memcpy(state->command, p->command, sizeof state->command);
    egc_status status = egc_program_start(state->command, p->limit, &state->program, err);
    if (status)
        return status;
    status = meet(state, workload, err);
    if (!status) {
        state->known = egc_calloc(workload->n_params, sizeof(float));
        if (!state->known)
            status = egc_fail_memory(err, workload->n_params * sizeof(float));
    }
    if (status)
        close_process(workload);
    return status;
}

/* ---- running -------------------------------------------------------------------------------- */

static egc_status initialize(egc_workload *workload, float *parameters, egc_error *err)
{
    process_state *state = workload->state;
    size_t bytes = workload->n_params * sizeof(float);
    egc_status status = say(state, "INIT", NULL, 0, NULL, 0, err);
    if (!status)
        status = expect_exactly(state, "PARM", bytes, "the initial parameters", err);
    if (!status)
        status =
            egc_program_receive(&state->program, parameters, bytes, "the initial parameters", err);
    for (size_t i = 0; !status && i < workload->n_params; i++)
        if (!isfinite(parameters[i]))
            status = egc_fail(err, EGC_ERROR_FORMAT,
                              "\"%s\": initial parameter %zu must be finite, got %g",
                              state->command, i, (double)parameters[i]);
    return status;
}

/* Asks for something at these parameters; they go along unless the program has them already. */
static egc_status ask_at(egc_workload *workload, const char *kind, const void *head, size_t bytes,
                         const float *parameters, egc_error *err)
{
    process_state *state = workload->state;
    size_t size = workload->n_params * sizeof(float);
    bool news = !state->any_known || memcmp(state->known, parameters, size) != 0;
    if (news)
        memcpy(state->known, parameters, size);
    state->any_known = true;
    return say(state, kind, head, bytes, news ? parameters : NULL, news ? size : 0, err);
}

static egc_status gradient(egc_workload *workload, uint64_t step, size_t worker,
                           const float *parameters, float *grad, double *loss, egc_error *err)
{
    process_state *state = workload->state;
    const egc_process_request request = {.step = step, .worker = worker};
    size_t bytes = workload->n_params * sizeof(float);
    egc_status status = ask_at(workload, "GRAD", &request, sizeof request, parameters, err);
    if (!status)
        status = expect_exactly(state, "GRAD", sizeof *loss + bytes, "a loss and gradient", err);
    if (!status)
        status = egc_program_receive(&state->program, loss, sizeof *loss, "a loss", err);
    if (!status)
        status = egc_program_receive(&state->program, grad, bytes, "a gradient", err);
    return status;
}

static egc_status evaluate(egc_workload *workload, const float *parameters, egc_evaluation *out,
                           egc_error *err)
{
    process_state *state = workload->state;
    egc_process_quality quality;
    egc_status status = ask_at(workload, "EVAL", NULL, 0, parameters, err);
    if (!status)
        status = expect_exactly(state, "EVAL", sizeof quality, "an evaluation", err);
    if (!status)
        status =
            egc_program_receive(&state->program, &quality, sizeof quality, "an evaluation", err);
    if (status)
        return status;
    if (!isnan(quality.accuracy) && !(quality.accuracy >= 0 && quality.accuracy <= 1))
        return egc_fail(err, EGC_ERROR_FORMAT, "\"%s\": accuracy must be in [0, 1], got %g",
                        state->command, quality.accuracy);
    *out = (egc_evaluation){
        .loss = quality.loss, .accuracy = quality.accuracy, .perplexity = quality.perplexity};
    return EGC_OK;
}

const egc_workload_type egc_workload_process = {
    .name = "process",
    .summary = "a program of your own that computes gradients, spoken to through pipes",
    .reference = "workloads/README.md",
    .closed_loop = true,
    .params = params,
    .params_size = sizeof(process_params),
    .state_size = sizeof(process_state),
    .check = check,
    .open = open_process,
    .initialize = initialize,
    .gradient = gradient,
    .evaluate = evaluate,
    .close = close_process,
};
