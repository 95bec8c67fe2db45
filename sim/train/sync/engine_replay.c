/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/sync/engine_replay.h"

#include "train/sync/training_log.h"

typedef struct replay {
    egc_learning base;
    egc_workload described; /* as the log has it: never opened */
} replay;

static egc_status read_model(egc_learning *learning, egc_error *err)
{
    replay *self = (replay *)learning;
    if (learning->route.sparse)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "exchange: %s makes messages on the way, of which no log knows the lengths",
                        learning->route.sparse->name);
    self->described.type = learning->config->workload;
    learning->workload = &self->described;
    return egc_learning_read_model(learning->config->replay, &self->described, &learning->arena,
                                   err);
}

static egc_status start(egc_learning *learning, egc_error *err)
{
    (void)learning, (void)err;
    return EGC_OK;
}

/* The whole step, its later messages and its end included. */
static egc_status begin_step(egc_learning *learning, uint64_t step, egc_error *err)
{
    return egc_learning_read_step(learning->config->replay, learning, step, err);
}

static egc_status make_message(egc_learning *learning, uint64_t step, size_t round, size_t worker,
                               size_t bucket, egc_error *err)
{
    (void)learning, (void)step, (void)round, (void)worker, (void)bucket, (void)err;
    return EGC_OK;
}

static egc_status take(egc_learning *learning, uint64_t step, size_t round, size_t bucket,
                       const egc_received *received, egc_error *err)
{
    (void)learning, (void)step, (void)round, (void)bucket, (void)received, (void)err;
    return EGC_OK;
}

static egc_status end_step(egc_learning *learning, uint64_t step, egc_error *err)
{
    (void)learning, (void)step, (void)err;
    return EGC_OK;
}

static void close_replay(egc_learning *learning)
{
    (void)learning;
}

const egc_learning_type egc_learning_replayed = {
    .size = sizeof(replay),
    .open = read_model,
    .start = start,
    .begin_step = begin_step,
    .make_message = make_message,
    .take = take,
    .end_step = end_step,
    .close = close_replay,
};
