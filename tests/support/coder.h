/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One coder with all that one call needs, for tests that look at its bytes. */
#ifndef EGC_TEST_CODER_H
#define EGC_TEST_CODER_H

#include <stdlib.h>

#include "base/rng.h"
#include "support/method.h"

typedef struct coder {
    egc_method method;
    const egc_compressor_type *type;
    egc_unit unit;
    void *state;
    gsl_rng *rng;
    egc_arena scratch;
} coder;

/* For units of n elements, a matrix when rows > 0. */
static inline coder coder_open(const char *name, const char *settings, size_t n, size_t rows)
{
    coder c = {.unit = {.name = "x", .count = n, .rows = rows}};
    egc_error err = {0};
    assert_ok(egc_method_init(&c.method, name, &err), err);
    set_all(&c.method, settings);
    assert_ok(egc_method_check(&c.method, &err), err);
    c.type = c.method.compressor;
    c.state = calloc(1, c.type->state_size ? c.type->state_size(c.method.params, &c.unit) + 1 : 1);
    c.rng = gsl_rng_alloc(egc_rng_splitmix64);
    return c;
}

static inline void coder_close(coder *c)
{
    free(c->state);
    gsl_rng_free(c->rng);
    egc_arena_fini(&c->scratch);
}

static inline egc_context coder_context(coder *c, const float *x, uint64_t step)
{
    egc_arena_reset(&c->scratch);
    return (egc_context){.unit = &c->unit,
                         .step = step,
                         .n_workers = 1,
                         .shard_count = c->unit.count,
                         .density = egc_method_density(&c->method, step),
                         .max_abs = egc_kernels_get()->max_abs(x, c->unit.count),
                         .gradient = x,
                         .scale = 1,
                         .rng = c->rng,
                         .shared_rng = c->rng,
                         .scratch = &c->scratch};
}

/* Appends a message; the generator goes on from where it is. */
static inline void coder_encode(coder *c, const float *x, uint64_t step, egc_buf *wire)
{
    egc_error err = {0};
    egc_context context = coder_context(c, x, step);
    assert_ok(c->type->encode(c->method.params, c->state, &context, x, c->unit.count, wire, &err),
              err);
}

/* Decodes a whole message into out, which need not be cleared. FORMAT, also when bytes are left. */
static inline egc_status coder_decode(const coder *c, const void *wire, size_t len, float *out,
                                      egc_error *err)
{
    egc_reader reader = egc_reader_of(wire, len);
    memset(out, 0, c->unit.count * sizeof *out);
    egc_status status = c->type->decode(c->method.params, &reader, 1, out, c->unit.count, err);
    return status || egc_reader_left(&reader) == 0
               ? status
               : egc_fail(err, EGC_ERROR_FORMAT, "%zu bytes are left", egc_reader_left(&reader));
}

/* What a receiver makes of x. */
static inline void coder_round_trip(coder *c, const float *x, uint64_t step, float *out)
{
    egc_buf wire = {0};
    egc_error err = {0};
    coder_encode(c, x, step, &wire);
    assert_ok(coder_decode(c, wire.data, wire.len, out, &err), err);
    egc_buf_fini(&wire);
}

#endif
