/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine that reads each step from a training log instead of training: a point that differs
 * from an earlier one only in network or device learns the same. */
#include "train/sync/engine/replay.h"

#include "train/sync/engine/training_log.h"

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

/* The whole step, its later messages and its end included. */
static egc_status begin_step(egc_engine *engine, uint64_t step, egc_error *err)
{
    return egc_training_log_read_step(engine->config->replay, engine, step, err);
}

const egc_engine_type egc_engine_replay_type = {
    .size = sizeof(replay),
    .open = read_model,
    .begin_step = begin_step,
};
