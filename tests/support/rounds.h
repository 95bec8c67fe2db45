/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plays methods of several rounds over their descriptors: P workers and one replica, every message
 * copied to memory that ends at a guard page, the replica watched for changes by `message`. */
#ifndef EGC_TEST_ROUNDS_H
#define EGC_TEST_ROUNDS_H

#include "support/test.h"

#include <stdlib.h>

#include "compressors/plugin.h"
#include "kernels/kernels.h"
#include "support/inputs.h"

enum { PLAY_MAX_WORKERS = 16 };

/* Called with each delivery before it is absorbed. */
typedef struct play play;
typedef void play_spy(play *p, size_t round, const egc_context *context, const egc_reader *messages,
                      size_t n_messages);

struct play {
    const egc_compressor_type *type;
    _Alignas(16) unsigned char params[512];
    const egc_rounds *rounds;
    egc_unit unit;
    size_t n_workers;
    uint64_t step; /* the next one */
    void *state[PLAY_MAX_WORKERS];
    void *replica;
    size_t replica_bytes;
    egc_arena scratch;
    gsl_rng *rng, *shared_rng;
    play_spy *spy;

    /* Of the last step. */
    egc_selection selection;         /* sparsifiers */
    size_t bytes[EGC_ROUNDS_MAX];    /* all messages of a round */
    float first_floats[64];          /* what the first ALLREDUCE round summed to */
    uint8_t first[PLAY_MAX_WORKERS]; /* first byte of each message of the first round */
};

static inline void play_set(play *p, const char *key, double value)
{
    egc_error err = {0};
    egc_scalar scalar = {.kind = EGC_SCALAR_NUMBER, .number = value};
    const egc_param *param = egc_param_find(p->type->params, key);
    if (param->kind == EGC_PARAM_BOOL)
        scalar = (egc_scalar){.kind = EGC_SCALAR_BOOL, .boolean = value != 0};
    assert_ok(egc_param_set(param, p->params, &scalar, &err), err);
}

static inline void play_choose(play *p, const char *key, const char *word)
{
    egc_error err = {0};
    egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = word};
    assert_ok(egc_param_set(egc_param_find(p->type->params, key), p->params, &scalar, &err), err);
}

/* Parameters are at their defaults until play_set, which comes before play_begin. */
static inline void play_init(play *p, const char *name, egc_unit unit, size_t n_workers)
{
    egc_error err = {0};
    *p = (play){.unit = unit, .n_workers = n_workers};
    p->unit.name = "x";
    assert_ok(egc_compressor_find(name, &p->type, &err), err);
    assert_true(n_workers <= PLAY_MAX_WORKERS && p->type->params_size <= sizeof p->params);
    egc_param_init(p->type->params, p->params);
}

static inline void play_begin(play *p)
{
    p->rounds = egc_compressor_rounds(p->type, p->params);
    size_t state_bytes = p->type->state_size ? p->type->state_size(p->params, &p->unit) : 0;
    for (size_t w = 0; w < p->n_workers; w++)
        p->state[w] = calloc(1, state_bytes + 1);
    p->replica_bytes = p->rounds->replica_size(p->params, &p->unit);
    p->replica = calloc(1, p->replica_bytes);
    p->selection.index = calloc(p->unit.count, sizeof(uint32_t));
    p->rng = gsl_rng_alloc(egc_rng_splitmix64);
    p->shared_rng = gsl_rng_alloc(egc_rng_splitmix64);
}

static inline void play_end(play *p)
{
    for (size_t w = 0; w < p->n_workers; w++)
        free(p->state[w]);
    free(p->replica);
    free(p->selection.index);
    gsl_rng_free(p->rng);
    gsl_rng_free(p->shared_rng);
    egc_arena_fini(&p->scratch);
}

static inline egc_context play_context(play *p, size_t worker, size_t round)
{
    egc_arena_reset(&p->scratch);
    gsl_rng_set(p->rng, egc_rng_derive_seed(1, p->step, worker * EGC_ROUNDS_MAX + round));
    gsl_rng_set(p->shared_rng, egc_rng_derive_seed(2, p->step, 0));
    return (egc_context){
        .unit = &p->unit,
        .step = p->step,
        .worker = worker,
        .n_workers = p->n_workers,
        .density = p->type->density ? p->type->density(p->params) : NAN,
        .rng = p->rng,
        .shared_rng = p->shared_rng,
        .scratch = &p->scratch,
    };
}

/* Appends one worker's message, which must leave the replica as it is. */
static inline void play_message(play *p, size_t round, size_t worker, size_t shard, const float *x,
                                egc_buf *wire)
{
    egc_error err = {0};
    egc_context context = play_context(p, worker, round);
    context.max_abs = egc_kernels_get()->max_abs(x, p->unit.count);
    if (p->rounds->kind[round] == EGC_COLLECTIVE_ALLTOALL) {
        egc_unit_shard part = egc_unit_shard_of(p->unit.count, shard, p->n_workers);
        context.shard_first = part.first;
        context.shard_count = part.count;
    }
    void *before = malloc(p->replica_bytes);
    memcpy(before, p->replica, p->replica_bytes);
    assert_ok(p->rounds->message(p->params, p->state[worker], p->replica, &context, round, x,
                                 p->unit.count, wire, &err),
              err);
    assert_memory_equal(p->replica, before, p->replica_bytes);
    free(before);
}

static inline void play_absorb(play *p, size_t round, size_t shard, const egc_buf *wires,
                               size_t n_messages)
{
    egc_error err = {0};
    egc_reader readers[PLAY_MAX_WORKERS];
    uint8_t *copies[PLAY_MAX_WORKERS];
    for (size_t w = 0; w < n_messages; w++) {
        copies[w] = guarded(wires[w].len);
        if (wires[w].len)
            memcpy(copies[w], wires[w].data, wires[w].len);
        readers[w] = egc_reader_of(copies[w], wires[w].len);
        if (round == 0 && wires[w].len)
            p->first[w] = copies[w][0];
    }
    egc_context context = play_context(p, 0, round);
    if (p->rounds->kind[round] == EGC_COLLECTIVE_ALLTOALL) {
        egc_unit_shard part = egc_unit_shard_of(p->unit.count, shard, p->n_workers);
        context.shard_first = part.first;
        context.shard_count = part.count;
    }
    if (p->spy) {
        p->spy(p, round, &context, readers, n_messages);
        egc_context again = play_context(p, 0, round);
        again.shard_first = context.shard_first;
        again.shard_count = context.shard_count;
        context = again;
    }
    assert_ok(p->rounds->absorb(p->params, p->replica, &context, round, readers, n_messages,
                                p->unit.count, &err),
              err);
    for (size_t w = 0; w < n_messages; w++) {
        assert_int_equal(egc_reader_left(&readers[w]), 0);
        free_guarded(copies[w], wires[w].len);
    }
}

/* One round of worker w's x + w * n. */
static inline void play_round(play *p, size_t round, const float *x)
{
    size_t n = p->unit.count, P = p->n_workers;
    egc_collective kind = p->rounds->kind[round];
    egc_buf wires[PLAY_MAX_WORKERS] = {0};
    size_t leader = p->step % P;
    p->bytes[round] = 0;
    for (size_t shard = 0; shard < (kind == EGC_COLLECTIVE_ALLTOALL ? P : 1); shard++) {
        for (size_t w = 0; w < P; w++) {
            egc_buf *wire = &wires[kind == EGC_COLLECTIVE_BROADCAST ? 0 : w];
            egc_buf_clear(wire);
            if (kind != EGC_COLLECTIVE_BROADCAST || w == leader)
                play_message(p, round, w, shard, x + w * n, wire);
            p->bytes[round] += wire->len;
            if (kind == EGC_COLLECTIVE_BROADCAST && w == leader)
                break;
        }
        size_t n_messages =
            kind == EGC_COLLECTIVE_ALLGATHER || kind == EGC_COLLECTIVE_ALLTOALL ? P : 1;
        for (size_t w = 1; w < P && kind == EGC_COLLECTIVE_ALLREDUCE; w++) {
            assert_int_equal(wires[w].len, wires[0].len);
            egc_element_add(EGC_ELEMENT_FP32, wires[0].data, wires[w].data, wires[0].len / 4);
        }
        if (kind == EGC_COLLECTIVE_ALLREDUCE && round == 0)
            memcpy(p->first_floats, wires[0].data,
                   wires[0].len < sizeof p->first_floats ? wires[0].len : sizeof p->first_floats);
        play_absorb(p, round, shard, wires, n_messages);
    }
    for (size_t w = 0; w < P; w++)
        egc_buf_fini(&wires[w]);
}

/* The mean of the values at the selection, which is sane, and 0 elsewhere. */
static inline void play_last_round(play *p, const float *x, float *mean)
{
    egc_error err = {0};
    size_t n = p->unit.count;
    egc_context context = play_context(p, 0, p->rounds->count);
    assert_ok(p->type->select(p->params, p->replica, &context, NULL, n, &p->selection, &err), err);
    assert_true(p->selection.count <= n);
    memset(mean, 0, n * sizeof *mean);
    for (size_t i = 0; i < p->selection.count; i++) {
        uint32_t at = p->selection.index[i];
        assert_true(at < n && (i == 0 || at > p->selection.index[i - 1]));
        double sum = 0;
        for (size_t w = 0; w < p->n_workers; w++)
            sum += (double)x[w * n + at];
        mean[at] = (float)(sum / (double)p->n_workers);
    }
}

/* One step: worker w has the n floats from x + w * n on. */
static inline void play_step(play *p, const float *x, float *mean)
{
    egc_error err = {0};
    for (size_t round = 0; round < p->rounds->count; round++)
        play_round(p, round, x);
    if (p->type->select) {
        play_last_round(p, x, mean);
    } else {
        egc_context context = play_context(p, 0, p->rounds->count);
        assert_ok(
            p->rounds->reconstruct(p->params, p->replica, &context, mean, p->unit.count, &err),
            err);
    }
    for (size_t i = 0; i < p->unit.count; i++)
        assert_true(isfinite(mean[i]));
    p->step++;
}

static const size_t worker_counts[] = {1, 2, 3, 5, 8};
enum { N_WORKER_COUNTS = sizeof worker_counts / sizeof *worker_counts };

static inline void assert_selected(const play *p, size_t count, const uint32_t *index)
{
    assert_int_equal(p->selection.count, count);
    assert_memory_equal(p->selection.index, index, count * sizeof *index);
}

static inline double norm_of(const float *x, size_t n)
{
    return sqrt(egc_kernels_get()->norm2(x, n));
}

#endif
