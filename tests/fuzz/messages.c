/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole messages, through every round of every method: what egc_decoder_decode makes of any bytes,
 * and what an encoder does next, whose replica has taken them in.
 *
 * An input is a method (type, parameters, a few options), a shape, and then for every round of up
 * to three steps the messages delivered, each behind its length. Fingerprints are put before them,
 * so that the fuzzer need not guess. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "support/inputs.h"
#include "support/team.h"

#include "compressors/core/encoder.h"
#include "compressors/core/frame.h"

enum { MAX_UNITS = 2, MAX_N = 1025 + 7, MAX_WORKERS = 3, STEPS = 3 };
enum { RAW = 1, REDUCED = 2 }; /* flags: messages without fingerprint; summed where they can be */

typedef struct trial {
    egc_method method;
    egc_unit units[MAX_UNITS];
    size_t layers[2];
    size_t n_units, n, n_workers, self;
    unsigned flags;
    egc_round_plan plan;
    egc_workspace *workspace;
    egc_decoder *replica;
    egc_encoder *encoder;
} trial;

/* Steps taken to their end: seeds must get there. */
static size_t steps_taken;

/* ---- what the first bytes say ---------------------------------------------------------------- */

static bool any_type(const egc_compressor_type *type)
{
    (void)type;
    return true;
}

static bool read_method(egc_reader *input, egc_method *method)
{
    const egc_compressor_type *type = fuzz_type(input, any_type);
    if (egc_method_init(method, type->name, NULL) != EGC_OK)
        return false;
    fuzz_params(input, type->params, method->params);
    fuzz_some_params(input, egc_method_option_params, &method->options);
    return egc_method_check(method, NULL) == EGC_OK;
}

/* A matrix, alone or before a vector, or a bucket of two layers. */
static void read_shape(egc_reader *input, trial *t)
{
    size_t n = fuzz_length(input), kind = fuzz_byte(input) % 3;
    if (n > 1025)
        n = 1025;
    t->layers[0] = n / 2;
    t->layers[1] = n - n / 2;
    t->n_units = kind == 1 ? 2 : 1;
    t->units[0] = (egc_unit){.name = "first", .count = n, .rows = (size_t)sqrt((double)n)};
    while (n % t->units[0].rows)
        t->units[0].rows--;
    if (kind == 2 && n > 1) {
        t->units[0].rows = 0;
        t->units[0].layers = t->layers;
        t->units[0].n_layers = 2;
    }
    t->units[1] = (egc_unit){.name = "second", .first = n, .count = 7};
    t->n = n + (kind == 1 ? 7 : 0);
}

/* False when the method asks for more memory than a fuzzer should have. */
static bool make_coders(trial *t)
{
    const egc_coder_config config = {
        .method = &t->method,
        .momentum = 0.9,
        .n_workers = t->n_workers,
        .seed = 1,
        .units = t->units,
        .n_units = t->n_units,
        .workspace = t->workspace,
    };
    return egc_decoder_new(&config, &t->replica, NULL) == EGC_OK &&
           egc_encoder_new(&config, t->self, t->replica, &t->encoder, NULL) == EGC_OK;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* The next message, on the plain heap and of its exact length, so that sanitizers see overruns. */
static egc_reader next_message(egc_reader *input, const trial *t, size_t round)
{
    egc_buf head = {0};
    egc_frame frame = {&t->method, &t->plan, round, t->units, t->n_units};
    size_t start, len = fuzz_byte(input);
    len |= (size_t)fuzz_byte(input) << 8;
    if (len > egc_reader_left(input))
        len = egc_reader_left(input);
    if (!(t->flags & RAW))
        fuzz_check(egc_frame_begin(&frame, &head, &start, NULL) == EGC_OK);
    uint8_t *bytes = malloc(head.len + len ? head.len + len : 1);
    fuzz_check(bytes);
    if (head.len)
        memcpy(bytes, head.data, head.len);
    if (len)
        memcpy(bytes + head.len, input->next, len);
    input->next += len;
    egc_reader message = egc_reader_of(bytes, head.len + len);
    egc_buf_fini(&head);
    return message;
}

static size_t replica_bytes(const trial *t)
{
    size_t bytes = 0;
    for (size_t u = 0; u < t->n_units; u++)
        if (t->plan.rounds && t->plan.rounds->replica_size)
            bytes += t->plan.rounds->replica_size(t->method.params, &t->units[u]);
    return bytes;
}

static void check_average(const trial *t, uint64_t step, const float *average)
{
    bool corrected = t->method.options.lr_correction != EGC_CORRECTION_NONE;
    for (size_t i = 0; i < t->n && step == 0; i++) /* later steps may add up to more */
        fuzz_check(isfinite(average[i]) || (!isnan(average[i]) && (t->n_workers > 1 || corrected)));
}

static egc_status take(trial *t, egc_reader *input, uint64_t step, size_t round)
{
    egc_round at = t->plan.round[round];
    bool reduced = at.kind == EGC_COLLECTIVE_ALLREDUCE || (at.element && t->flags & REDUCED);
    bool last = round + 1 == t->plan.n_rounds;
    egc_reader messages[MAX_WORKERS];
    uint8_t *bytes[MAX_WORKERS];
    egc_decoder_input delivery = {.step = step,
                                  .round = round,
                                  .count = t->n_units,
                                  .shard = t->self,
                                  .messages = messages,
                                  .n_messages = t->n_workers,
                                  .reduced = reduced};
    if (reduced || at.kind == EGC_COLLECTIVE_BROADCAST)
        delivery.n_messages = 1;
    for (size_t i = 0; i < delivery.n_messages; i++) {
        messages[i] = next_message(input, t, round);
        bytes[i] = (uint8_t *)messages[i].next;
    }
    float *average = malloc(t->n * sizeof *average);
    fuzz_check(average);
    egc_error err = {0};
    fuzz_allow_memory_for(t->n_workers * t->n + replica_bytes(t) / 16);
    egc_status status = egc_decoder_decode(t->replica, &delivery, last ? average : NULL, &err);
    fuzz_allow_all();
    fuzz_check(status == EGC_OK || status == EGC_ERROR_FORMAT ||
               (status == EGC_ERROR_NONFINITE && reduced));
    if (!status && last)
        check_average(t, step, average);
    free(average);
    for (size_t i = 0; i < delivery.n_messages; i++)
        free(bytes[i]);
    return status;
}

static egc_status speak(trial *t, size_t round)
{
    egc_buf wire = {0};
    bool scatters = t->plan.round[round].kind == EGC_COLLECTIVE_ALLTOALL;
    egc_status status = EGC_OK;
    for (size_t shard = 0; shard < (scatters ? t->n_workers : 1) && !status; shard++)
        status = egc_encoder_message(t->encoder, round, 0, t->n_units, shard, &wire, NULL);
    egc_buf_fini(&wire);
    fuzz_check(status == EGC_OK || status == EGC_ERROR_NONFINITE);
    return status;
}

static egc_status run_step(trial *t, egc_reader *input, uint64_t step)
{
    float gradient[MAX_N];
    egc_gradient_check found;
    for (size_t i = 0; i < t->n; i++)
        gradient[i] = (float)((int)(i * 37 % 19) - 9) * 0.01f;
    const egc_step_input begin = {.step = step, .lr = 0.1, .gradient = gradient};
    egc_status status = egc_encoder_step(t->encoder, &begin, &found, NULL);
    for (size_t round = 0; round < t->plan.n_rounds && !status; round++) {
        status = speak(t, round);
        if (!status)
            status = take(t, input, step, round);
    }
    if (!status) {
        status = egc_encoder_finish(t->encoder, 0, t->n_units, NULL);
        fuzz_check(status == EGC_OK || status == EGC_ERROR_NONFINITE);
        steps_taken++;
    }
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    egc_reader input = egc_reader_of(data, size);
    trial t = {0};
    if (!read_method(&input, &t.method))
        return 0;
    read_shape(&input, &t);
    t.n_workers = 1 + fuzz_byte(&input) % MAX_WORKERS;
    t.flags = fuzz_byte(&input);
    t.self = (t.flags >> 4) % t.n_workers;
    t.plan = egc_round_plan_of(&t.method);
    fuzz_check(egc_workspace_new(t.n, &t.workspace, NULL) == EGC_OK);
    fuzz_allow_memory_for(1 << 16);
    bool made = make_coders(&t);
    fuzz_allow_all();
    for (uint64_t step = 0; made && step < STEPS && (step == 0 || egc_reader_left(&input)); step++)
        if (run_step(&t, &input, step) != EGC_OK)
            break;
    egc_encoder_free(t.encoder);
    egc_decoder_free(t.replica);
    egc_workspace_free(t.workspace);
    return 0;
}

/* ---- seeds ----------------------------------------------------------------------------------- */

static void put_message(egc_buf *seed, const egc_buf *wire, bool element)
{
    size_t frame = element ? 0 : 2;
    fuzz_check(wire->len >= frame);
    fuzz_put_byte(seed, (wire->len - frame) & 255);
    fuzz_put_byte(seed, (unsigned)((wire->len - frame) >> 8));
    if (wire->len > frame)
        fuzz_check(egc_buf_append(seed, wire->data + frame, wire->len - frame, NULL) == EGC_OK);
}

/* What the exchange gives worker 0 in a round of step 0, which worker 0 leads. */
static void put_round(egc_buf *seed, const test_team *team, size_t round)
{
    egc_round at = egc_round_plan_at(&team->method, round);
    egc_buf sum = {0};
    size_t n = at.kind == EGC_COLLECTIVE_BROADCAST ? 1 : team->n_workers;
    for (size_t from = 0; from < n && at.kind != EGC_COLLECTIVE_ALLREDUCE; from++)
        put_message(seed, &team->wire[round][from][0], at.element);
    for (size_t from = 0; from < n && at.kind == EGC_COLLECTIVE_ALLREDUCE; from++) {
        const egc_buf *wire = &team->wire[round][from][0];
        if (from == 0)
            fuzz_check(egc_buf_append(&sum, wire->data, wire->len, NULL) == EGC_OK);
        else
            egc_element_add(at.element, sum.data, wire->data,
                            wire->len / egc_element_bytes(at.element));
    }
    if (at.kind == EGC_COLLECTIVE_ALLREDUCE)
        put_message(seed, &sum, true);
    egc_buf_fini(&sum);
}

/* A step of a method with `options` (row and byte pairs, as fuzz_some_params reads them). */
static void seed_step(const egc_compressor_type *type, unsigned variant, const egc_buf *options,
                      unsigned length, size_t n_workers)
{
    egc_buf seed = {0};
    trial t = {0};
    fuzz_put_type(&seed, type);
    for (const egc_param *row = type->params; row && row->name; row++)
        fuzz_put_byte(&seed, variant);
    fuzz_check(egc_buf_append(&seed, options->data, options->len, NULL) == EGC_OK);
    size_t shape = seed.len;
    fuzz_put_byte(&seed, length);
    fuzz_put_byte(&seed, 1);
    fuzz_put_byte(&seed, (unsigned)n_workers - 1);
    fuzz_put_byte(&seed, 0);
    egc_reader reader = egc_reader_of(seed.data, seed.len);
    bool valid = read_method(&reader, &t.method);
    if (valid) {
        reader = egc_reader_of(seed.data + shape, 2);
        read_shape(&reader, &t);
        float gradients[MAX_WORKERS][MAX_N], average[MAX_N], *pointers[MAX_WORKERS];
        for (size_t w = 0; w < n_workers; w++) {
            fill_input(gradients[w], t.n, GAUSSIAN, w);
            pointers[w] = gradients[w];
        }
        test_team *team = team_new(&t.method, n_workers, t.units, t.n_units);
        team_step(team, 0, 0.1, pointers, average);
        for (size_t round = 0; round < team->n_rounds; round++)
            put_round(&seed, team, round);
        team_free(team);
        size_t before = steps_taken;
        LLVMFuzzerTestOneInput(seed.data, seed.len);
        fuzz_check(steps_taken > before);
        fuzz_seed(&seed);
    }
    egc_buf_fini(&seed);
}

void fuzz_seeds(void)
{
    static const char *const rows[] = {NULL, "entropy", "value", "memory", "lr_correction"};
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            egc_buf options = {0};
            fuzz_put_some_params(&options, egc_method_option_params, rows[r], 1);
            seed_step(*type, 0, &options, 1, 2);
            if (r == 0) {
                seed_step(*type, 0, &options, 2, 1);
                seed_step(*type, 0, &options, 2, 3);
                seed_step(*type, 1, &options, 2, 2);
                seed_step(*type, 128, &options, 2, 2);
            }
            egc_buf_fini(&options);
        }
}
