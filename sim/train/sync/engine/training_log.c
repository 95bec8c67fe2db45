/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The training log: a file with the model, and for each step the messages' lengths and the metrics,
 * as structs in the machine's own order. It lives for one run of a sweep, on one machine. */
#include "train/sync/engine/training_log.h"

#include <string.h>

#include "base/hash.h"
#include "base/rng.h"

/* ---- the content ------------------------------------------------------------------------------
 */

typedef struct head {
    char magic[8];
    char key[EGC_TRAINING_LOG_KEY_LENGTH];
    char model[EGC_LAYER_NAME];
    uint64_t n_params;
    uint64_t n_layers; /* egc_layers follow, then the steps */
} head;

static const char magic[8] = "egclearn";

/* A step is these, then the lengths of its messages. */
typedef struct part {
    void *data;
    size_t len;
} part;

enum { N_PARTS = 4 };

static void parts_of(egc_engine *engine, uint64_t step, part out[N_PARTS])
{
    egc_step_stats *stats = egc_engine_stats(engine, step);
    size_t n_units = engine->partition.n_units;
    size_t n_parts = engine->choice.n_rounds * engine->n_sampled * n_units;
    out[0] = (part){&stats->totals, sizeof stats->totals};
    out[1] = (part){stats->units, n_units * sizeof *stats->units};
    out[2] = (part){stats->correction, n_units * sizeof *stats->correction};
    out[3] = (part){stats->parts, n_parts * sizeof *stats->parts};
}

/* Calls act for each piece of each message of a step. */
static egc_status for_each_piece(egc_engine *engine, uint64_t step, void *arg,
                                 egc_status (*act)(void *arg, egc_buf *piece, egc_error *err),
                                 egc_error *err)
{
    size_t n = engine->choice.n_rounds * engine->n_sampled * engine->partition.n_buckets;
    egc_round_message *first = egc_engine_message(engine, step, 0, 0, 0);
    egc_status status = EGC_OK;
    for (egc_round_message *out = first; out < first + n; out++)
        for (size_t i = 0; i < egc_engine_pieces(engine, out) && !status; i++)
            status = act(arg, egc_round_message_piece(out, i), err);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void give_up(egc_training_log_writer *writer)
{
    writer->given_up = true;
    egc_buf_fini(&writer->piece);
}

/* Appends to the piece that is next handed on. */
static void put(egc_training_log_writer *writer, const void *data, size_t len)
{
    if (!writer->given_up && egc_buf_append(&writer->piece, data, len, NULL))
        give_up(writer);
}

static void hand_on(egc_training_log_writer *writer)
{
    egc_buf *piece = &writer->piece;
    if (writer->given_up)
        return;
    writer->hash = egc_hash(writer->hash, piece->data, piece->len);
    if (!writer->append(writer->arg, piece->data, piece->len))
        give_up(writer);
    egc_buf_clear(piece);
}

static egc_status put_length(void *arg, egc_buf *piece, egc_error *err)
{
    (void)err;
    put(arg, &(uint64_t){piece->len}, sizeof(uint64_t));
    return EGC_OK;
}

/* The hash, which is of all but itself. */
static void put_end(egc_training_log_writer *writer)
{
    uint64_t hash = writer->hash;
    put(writer, &hash, sizeof hash);
    hand_on(writer);
    writer->is_complete = !writer->given_up;
}

void egc_training_log_write_model(egc_training_log_writer *writer, const egc_engine *engine)
{
    const egc_workload *workload = engine->workload;
    head start;
    memset(&start, 0, sizeof start); /* padding too */
    memcpy(start.magic, magic, sizeof magic);
    memcpy(start.key, writer->key, strlen(writer->key));
    memcpy(start.model, workload->model, sizeof start.model);
    start.n_params = workload->n_params;
    start.n_layers = workload->n_layers;
    writer->hash = EGC_HASH_START;
    put(writer, &start, sizeof start);
    put(writer, workload->layers, workload->n_layers * sizeof *workload->layers);
    hand_on(writer);
}

void egc_training_log_write_step(egc_training_log_writer *writer, egc_engine *engine, uint64_t step)
{
    part parts[N_PARTS];
    parts_of(engine, step, parts);
    for (int i = 0; i < N_PARTS; i++)
        put(writer, parts[i].data, parts[i].len);
    egc_status never_fails = for_each_piece(engine, step, writer, put_length, NULL);
    (void)never_fails;
    hand_on(writer);
    if (step + 1 == (uint64_t)engine->config->options.steps)
        put_end(writer);
}

void egc_training_log_writer_fini(egc_training_log_writer *writer)
{
    egc_buf_fini(&writer->piece);
}

/* ---- reading --------------------------------------------------------------------------------- */

static egc_status get(egc_training_log_reader *reader, void *out, size_t len, egc_error *err)
{
    const uint8_t *data;
    if (egc_reader_take(&reader->rest, len, &data, err))
        return egc_error_prefix(err, "learning log");
    if (len)
        memcpy(out, data, len);
    return EGC_OK;
}

egc_status egc_training_log_reader_open(egc_training_log_reader *reader, const char *key,
                                        const void *data, size_t len, egc_error *err)
{
    uint64_t hash;
    head start;
    if (len < sizeof start + sizeof hash || memcmp(data, magic, sizeof magic) != 0)
        return egc_fail(err, EGC_ERROR_FORMAT, "learning log: has no head");
    size_t hashed = len - sizeof hash;
    memcpy(&hash, (const uint8_t *)data + hashed, sizeof hash);
    if (hash != egc_hash(EGC_HASH_START, data, hashed))
        return egc_fail(err, EGC_ERROR_FORMAT, "learning log: incomplete or damaged");
    memcpy(&start, data, sizeof start);
    if (strncmp(start.key, key, sizeof start.key) != 0)
        return egc_fail(err, EGC_ERROR_FORMAT, "learning log: key must be %s, got %.16s", key,
                        start.key);
    reader->rest = egc_reader_of(data, hashed);
    return EGC_OK;
}

egc_status egc_training_log_read_model(egc_training_log_reader *reader, egc_workload *workload,
                                       egc_arena *arena, egc_error *err)
{
    head start;
    egc_status status = get(reader, &start, sizeof start, err);
    if (status)
        return status;
    if (start.n_layers > egc_reader_left(&reader->rest) / sizeof *workload->layers)
        return egc_fail(err, EGC_ERROR_FORMAT, "learning log: ends among the layers");
    memcpy(workload->model, start.model, sizeof workload->model);
    workload->n_params = start.n_params;
    workload->n_layers = start.n_layers;
    workload->layers = egc_arena_alloc(arena, start.n_layers * sizeof *workload->layers);
    if (!workload->layers)
        return egc_fail_memory(err, start.n_layers * sizeof *workload->layers);
    return get(reader, workload->layers, start.n_layers * sizeof *workload->layers, err);
}

static egc_status get_length(void *arg, egc_buf *piece, egc_error *err)
{
    uint64_t len = 0;
    egc_status status = get(arg, &len, sizeof len, err);
    piece->len = len;
    return status;
}

/* Buffers come zeroed, and nothing else is ever in them. */
static egc_status get_zeros(void *arg, egc_buf *piece, egc_error *err)
{
    uint64_t len = 0;
    egc_status status = get(arg, &len, sizeof len, err);
    egc_buf_clear(piece);
    if (!status)
        status = egc_buf_reserve(piece, len, err);
    if (!status)
        piece->len = len;
    return status;
}

egc_status egc_training_log_read_step(egc_training_log_reader *reader, egc_engine *engine,
                                      uint64_t step, egc_error *err)
{
    part parts[N_PARTS];
    egc_status status = EGC_OK;
    parts_of(engine, step, parts);
    for (int i = 0; i < N_PARTS && !status; i++)
        status = get(reader, parts[i].data, parts[i].len, err);
    if (status)
        return status;
    return for_each_piece(engine, step, reader, engine->size_only ? get_length : get_zeros, err);
}
