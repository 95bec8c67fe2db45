/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closed loop: a program of the user's computes the gradients and receives the updated parameters.
 *
 * The program is started once for a run and answers one request at a time on its standard input
 * and output (process/protocol.h); the end of its input is the end of the run. Gradients that are
 * not finite are passed on: divergence of the training is a result. */
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
    float *known; /* the parameters last sent to the program */
    bool any_known;
} process_state;

static const egc_param params[] = {
    EGC_PARAM(process_params, command, TEXT, "command",
              "shell command of the program, which runs in the current folder", .def_text = ""),
    EGC_PARAM(process_params, limit, REAL, "limit", "limit of wall-clock time for one answer",
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

/* ---- messages -------------------------------------------------------------------------------- */

/* Begins an exchange with a request of this kind: a head (a struct) followed by floats; either may
 * be empty. */
static void request(process_state *state, const char *kind, const void *head, size_t head_bytes,
                    const void *floats, size_t float_bytes, egc_error *err)
{
    egc_process_frame frame = {.bytes = head_bytes + float_bytes};
    memcpy(frame.kind, kind, sizeof frame.kind);
    egc_program_begin(&state->program, err);
    egc_program_send(&state->program, &frame, sizeof frame, "a request");
    egc_program_send(&state->program, head, head_bytes, "a request");
    egc_program_send(&state->program, floats, float_bytes, "the parameters");
}

/* Receives the reason of a "FAIL" message, in which the program reports an error of its own. */
static void receive_reason(process_state *state, uint64_t bytes)
{
    char reason[EGC_PROCESS_MAX_REASON + 1] = {0};
    size_t len = bytes < sizeof reason ? (size_t)bytes : sizeof reason - 1;
    egc_program_receive(&state->program, reason, len, "its reason");
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)reason[i] < ' ' || reason[i] == 127)
            reason[i] = ' ';
    egc_program_fail(&state->program, EGC_ERROR_IO, "%s", reason);
}

static void print_kind(const char kind[4], char out[17])
{
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)kind[i];
        out += c > ' ' && c < 127 ? sprintf(out, "%c", c) : sprintf(out, "\\x%02x", c);
    }
}

/* Receives the frame of an answer of this kind with min to max bytes. Returns the number of bytes.
 */
static uint64_t expect(process_state *state, const char *kind, uint64_t min, uint64_t max,
                       const char *what, egc_error *err)
{
    egc_process_frame frame = {0};
    char got[17];
    egc_program *program = &state->program;
    egc_program_receive(program, &frame, sizeof frame, what);
    if (program->status)
        return 0;
    print_kind(frame.kind, got);
    if (memcmp(frame.kind, "FAIL", sizeof frame.kind) == 0 && frame.zero == 0)
        receive_reason(state, frame.bytes);
    else if (memcmp(frame.kind, kind, sizeof frame.kind) != 0 || frame.zero != 0)
        program->status = egc_fail(err, EGC_ERROR_FORMAT,
                                   "\"%s\" must answer with %s (%s), got %s (does it print to its "
                                   "standard output?)",
                                   state->command, kind, what, got);
    else if (frame.bytes < min || frame.bytes > max)
        egc_program_fail(program, EGC_ERROR_FORMAT, "%s must be %llu bytes, got %llu", what,
                         (unsigned long long)min, (unsigned long long)frame.bytes);
    return frame.bytes;
}

/* ---- layers ---------------------------------------------------------------------------------- */

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

static void take_model(process_state *state, const egc_process_model *model, egc_workload *workload,
                       egc_error *err)
{
    egc_program *program = &state->program;
    if (program->status)
        return;
    if (model->version != EGC_PROCESS_VERSION)
        egc_program_fail(program, EGC_ERROR_FORMAT, "protocol version must be %d, got %u",
                         EGC_PROCESS_VERSION, model->version);
    else if (!is_name(model->name))
        egc_program_fail(program, EGC_ERROR_FORMAT,
                         "the model's name must be printable, 1 to 63 bytes");
    memcpy(workload->model, model->name, sizeof workload->model);
    workload->optimizer = (egc_optimizer){.lr = model->lr,
                                          .momentum = model->momentum,
                                          .weight_decay = model->weight_decay,
                                          .schedule = (int)model->schedule,
                                          .lr_warmup = model->lr_warmup};
    if (!program->status && egc_optimizer_check(&workload->optimizer, err)) {
        egc_error_prefix(err, "\"%s\"", state->command);
        program->status = EGC_ERROR_FORMAT;
    }
}

/* Returns the error of a layer, or NULL. */
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

static void receive_layers(process_state *state, egc_workload *workload)
{
    egc_program *program = &state->program;
    size_t bytes;
    for (size_t i = 0; i < workload->n_layers && !program->status; i++) {
        egc_process_layer layer = {0};
        egc_program_receive(program, &layer, sizeof layer, "a layer");
        const char *fault = take_layer(&layer, &workload->layers[i]);
        if (fault)
            egc_program_fail(program, EGC_ERROR_FORMAT, "layer %zu: %s", i, fault);
        else if (__builtin_add_overflow(workload->n_params, workload->layers[i].count,
                                        &workload->n_params) ||
                 __builtin_mul_overflow(workload->n_params, sizeof(float), &bytes))
            egc_program_fail(program, EGC_ERROR_FORMAT, "layers hold too many parameters to count");
    }
}

/* The first exchange: the run's size for the program, its optimiser and layers in return. */
static egc_status meet(process_state *state, egc_workload *workload, egc_error *err)
{
    const egc_workload_request *run = &workload->request;
    const egc_process_hello hello = {.version = EGC_PROCESS_VERSION,
                                     .workers = (uint32_t)run->workers,
                                     .steps = run->steps,
                                     .seed = run->seed};
    egc_process_model model = {0};
    egc_program *program = &state->program;
    request(state, "HELO", &hello, sizeof hello, NULL, 0, err);
    uint64_t bytes = expect(state, "LAYR", sizeof model + sizeof(egc_process_layer),
                            sizeof model + EGC_PROCESS_MAX_LAYERS * sizeof(egc_process_layer),
                            "its layers", err);
    egc_program_receive(program, &model, sizeof model, "its layers");
    take_model(state, &model, workload, err);
    uint64_t expected = sizeof model + model.n_layers * (uint64_t)sizeof(egc_process_layer);
    if (bytes != expected)
        egc_program_fail(program, EGC_ERROR_FORMAT, "%u layers take %llu bytes, got %llu",
                         model.n_layers, (unsigned long long)expected, (unsigned long long)bytes);
    if (program->status)
        return program->status;
    workload->n_layers = model.n_layers;
    workload->layers = egc_calloc(model.n_layers, sizeof *workload->layers);
    if (!workload->layers)
        return egc_fail_memory(err, model.n_layers * sizeof *workload->layers);
    receive_layers(state, workload);
    return program->status;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void close_process(egc_workload *workload)
{
    process_state *state = workload->state;
    egc_program_stop(&state->program);
    egc_free(state->known);
}

static egc_status open_process(egc_workload *workload, const void *params_in,
                               const egc_workload_request *run, egc_error *err)
{
    const process_params *p = params_in;
    process_state *state = workload->state;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED, "process: needs a little-endian machine");
    if (run->workers > UINT32_MAX)
        return egc_fail(err, EGC_ERROR_RANGE, "process: too many workers: %zu", run->workers);
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

/* ---- running --------------------------------------------------------------------------------- */

static egc_status initialize(egc_workload *workload, float *parameters, egc_error *err)
{
    static const char what[] = "the initial parameters";
    process_state *state = workload->state;
    size_t bytes = workload->n_params * sizeof(float);
    request(state, "INIT", NULL, 0, NULL, 0, err);
    expect(state, "PARM", bytes, bytes, what, err);
    egc_program_receive(&state->program, parameters, bytes, what);
    for (size_t i = 0; i < workload->n_params && !state->program.status; i++)
        if (!isfinite(parameters[i]))
            egc_program_fail(&state->program, EGC_ERROR_FORMAT,
                             "initial parameter %zu must be finite, got %g", i,
                             (double)parameters[i]);
    return state->program.status;
}

/* Requests a result at these parameters, which are sent only when they differ from the last ones
 * sent. */
static void request_at(egc_workload *workload, const char *kind, const void *head, size_t bytes,
                       const float *parameters, egc_error *err)
{
    process_state *state = workload->state;
    size_t size = workload->n_params * sizeof(float);
    bool is_new = !state->any_known || memcmp(state->known, parameters, size) != 0;
    if (is_new)
        memcpy(state->known, parameters, size);
    state->any_known = true;
    request(state, kind, head, bytes, is_new ? parameters : NULL, is_new ? size : 0, err);
}

static egc_status gradient(egc_workload *workload, uint64_t step, size_t worker,
                           const float *parameters, float *grad, double *loss, egc_error *err)
{
    process_state *state = workload->state;
    const egc_process_request head = {.step = step, .worker = worker};
    size_t bytes = workload->n_params * sizeof(float), answer = sizeof *loss + bytes;
    request_at(workload, "GRAD", &head, sizeof head, parameters, err);
    expect(state, "GRAD", answer, answer, "a loss and gradient", err);
    egc_program_receive(&state->program, loss, sizeof *loss, "a loss");
    egc_program_receive(&state->program, grad, bytes, "a gradient");
    return state->program.status;
}

static egc_status evaluate(egc_workload *workload, const float *parameters, egc_evaluation *out,
                           egc_error *err)
{
    process_state *state = workload->state;
    egc_process_quality quality = {0};
    request_at(workload, "EVAL", NULL, 0, parameters, err);
    expect(state, "EVAL", sizeof quality, sizeof quality, "an evaluation", err);
    egc_program_receive(&state->program, &quality, sizeof quality, "an evaluation");
    if (!isnan(quality.accuracy) && !(quality.accuracy >= 0 && quality.accuracy <= 1))
        egc_program_fail(&state->program, EGC_ERROR_FORMAT, "accuracy must be in [0, 1], got %g",
                         quality.accuracy);
    *out = (egc_evaluation){
        .loss = quality.loss, .accuracy = quality.accuracy, .perplexity = quality.perplexity};
    return state->program.status;
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
