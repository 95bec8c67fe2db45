/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every coder's decode: FORMAT, or finite numbers out of no more bytes than its bound. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compressors/core/method.h"
#include "fuzz.h"
#include "support/inputs.h"

static bool is_coder(const egc_compressor_type *type)
{
    return type->decode != NULL;
}

static void decode(const egc_compressor_type *type, const void *params, egc_reader *input, size_t n)
{
    float *out = calloc(n, sizeof *out); /* of its exact length, so that sanitizers see overruns */
    fuzz_check(out);
    size_t left = egc_reader_left(input);
    fuzz_allow_memory_for(n);
    egc_status status = type->decode(params, input, 1, out, n, NULL);
    fuzz_allow_all();
    fuzz_check(status == EGC_OK || status == EGC_ERROR_FORMAT);
    if (!status) {
        fuzz_check(left - egc_reader_left(input) <= type->bound(params, n));
        for (size_t i = 0; i < n; i++)
            fuzz_check(isfinite(out[i]));
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    egc_reader input = egc_reader_of(data, size);
    const egc_compressor_type *type = fuzz_type(&input, is_coder);
    _Alignas(16) unsigned char params[EGC_METHOD_PARAMS_MAX] = {0};
    if (type->params)
        egc_param_init(type->params, params);
    fuzz_params(&input, type->params, params);
    size_t n = fuzz_length(&input);
    if (!type->check || type->check(params, NULL) == EGC_OK)
        decode(type, params, &input, n);
    return 0;
}

/* ---- seeds ----------------------------------------------------------------------------------- */

/* Parameter bytes other than 0 are those of `variant`, so that all rows leave their defaults. */
static egc_status write_seed(const egc_compressor_type *type, unsigned variant, const float *x,
                             const egc_unit *unit, const egc_context *context, egc_buf *seed)
{
    _Alignas(16) unsigned char params[EGC_METHOD_PARAMS_MAX] = {0};
    fuzz_put_type(seed, type);
    size_t start = seed->len;
    for (const egc_param *row = type->params; row && row->name; row++)
        fuzz_put_byte(seed, variant);
    egc_reader bytes = egc_reader_of(seed->data + start, seed->len - start);
    if (type->params)
        egc_param_init(type->params, params);
    fuzz_params(&bytes, type->params, params);
    fuzz_put_length(seed, unit->count);
    if (type->check && type->check(params, NULL) != EGC_OK)
        return EGC_ERROR_UNSUPPORTED;
    size_t state_size = type->state_size ? type->state_size(params, unit) : 0;
    void *state = calloc(1, state_size ? state_size : 1);
    egc_status status = type->encode(params, state, context, x, unit->count, seed, NULL);
    free(state);
    return status;
}

static void seed_coder(const egc_compressor_type *type, size_t n, unsigned variant, int family)
{
    float x[1024], max_abs = 0;
    fill_input(x, n, family, 3);
    for (size_t i = 0; i < n; i++)
        max_abs = fmaxf(max_abs, fabsf(x[i]));
    egc_buf seed = {0};
    egc_arena scratch = {0};
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64), *shared = gsl_rng_alloc(egc_rng_splitmix64);
    const egc_unit unit = {.name = "x", .count = n, .rows = n};
    const egc_context context = {.unit = &unit,
                                 .n_workers = 1,
                                 .shard_count = n,
                                 .max_abs = max_abs,
                                 .gradient = x,
                                 .scale = 1,
                                 .rng = rng,
                                 .shared_rng = shared,
                                 .scratch = &scratch};
    if (write_seed(type, variant, x, &unit, &context, &seed) == EGC_OK)
        fuzz_seed(&seed);
    egc_buf_fini(&seed);
    gsl_rng_free(rng);
    gsl_rng_free(shared);
    egc_arena_fini(&scratch);
}

void fuzz_seeds(void)
{
    static const unsigned variants[] = {1, 128, 254};
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++)
        for (size_t l = 0; is_coder(*type) && l < FUZZ_N_SHORT; l++) {
            seed_coder(*type, fuzz_lengths[l], 0, GAUSSIAN);
            seed_coder(*type, fuzz_lengths[l], 0, SPIKE);
            for (size_t v = 0; v < 3 && (*type)->params; v++)
                seed_coder(*type, fuzz_lengths[l], variants[v], GAUSSIAN);
        }
}
