/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/sync/engine_replay.h"

#include "train/sync/training_log.h"

typedef struct replay {
    egc_engine base;
    egc_workload described; /* as the log has it: never opened */
} replay;

static egc_status read_model(egc_engine *engine, egc_error *err)
{
    replay *self = (replay *)engine;
    if (engine->choice.sparse)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "exchange: %s makes messages on the way, of which no log knows the lengths",
                        engine->choice.sparse->name);
    self->described.type = engine->config->workload;
    engine->workload = &self->described;
    return egc_training_log_read_model(engine->config->replay, &self->described, &engine->arena,
                                       err);
}

static egc_status start(egc_engine *engine, egc_error *err)
{
    (void)engine, (void)err;
    return EGC_OK;
}

/* The whole step, its later messages and its end included. */
static egc_status begin_step(egc_engine *engine, uint64_t step, egc_error *err)
{
    return egc_training_log_read_step(engine->config->replay, engine, step, err);
}

static egc_status make_message(egc_engine *engine, uint64_t step, size_t round, size_t worker,
                               size_t bucket, egc_error *err)
{
    (void)engine, (void)step, (void)round, (void)worker, (void)bucket, (void)err;
    return EGC_OK;
}

static egc_status take(egc_engine *engine, uint64_t step, size_t round, size_t bucket,
                       const egc_round_result *received, egc_error *err)
{
    (void)engine, (void)step, (void)round, (void)bucket, (void)received, (void)err;
    return EGC_OK;
}

static egc_status end_step(egc_engine *engine, uint64_t step, egc_error *err)
{
    (void)engine, (void)step, (void)err;
    return EGC_OK;
}

static void close_replay(egc_engine *engine)
{
    (void)engine;
}

const egc_engine_type egc_engine_replay_type = {
    .size = sizeof(replay),
    .open = read_model,
    .start = start,
    .begin_step = begin_step,
    .make_message = make_message,
    .take = take,
    .end_step = end_step,
    .close = close_replay,
};
