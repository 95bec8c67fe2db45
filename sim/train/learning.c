/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/learning.h"

#include "base/mem.h"
#include "train/live.h"
#include "train/replay.h"

/* Messages of even and odd steps, of each round, worker and bucket. */
static size_t n_outgoing(const egc_learning *learning)
{
    return 2 * learning->route.n_rounds * learning->n_workers * learning->plan.n_buckets;
}

static egc_status make_plan(egc_learning *learning, egc_error *err)
{
    const egc_plan_options options = egc_plan_options_of(learning->config);
    return egc_plan_init(&learning->plan, learning->workload, &options, err);
}

static egc_status make_outgoing(egc_learning *learning, egc_error *err)
{
    size_t bytes = n_outgoing(learning) * sizeof *learning->outgoing;
    learning->outgoing = egc_arena_alloc(&learning->arena, bytes);
    if (!learning->outgoing)
        return egc_fail_memory(err, bytes);
    for (size_t i = 0; i < n_outgoing(learning); i++) {
        size_t slot = i / (learning->n_workers * learning->plan.n_buckets);
        if (learning->route.round[slot % learning->route.n_rounds].kind != EGC_ROUND_SCATTER)
            continue;
        size_t room = learning->n_workers * sizeof(egc_buf);
        learning->outgoing[i].pieces = egc_arena_alloc(&learning->arena, room);
        if (!learning->outgoing[i].pieces)
            return egc_fail_memory(err, room);
    }
    return EGC_OK;
}

static egc_status make_learnt(egc_learning *learning, egc_error *err)
{
    size_t n_units = learning->plan.n_units;
    size_t n_parts = learning->route.n_rounds * learning->n_workers * n_units;
    egc_status status =
        egc_learnt_init(&learning->learnt[0], &learning->arena, n_units, n_parts, err);
    return status ? status
                  : egc_learnt_init(&learning->learnt[1], &learning->arena, n_units, n_parts, err);
}

egc_status egc_learning_new(const egc_training_config *config, egc_learning **out, egc_error *err)
{
    const egc_learning_type *type = config->replay ? &egc_learning_replayed : &egc_learning_live;
    egc_learning *learning = egc_calloc(1, type->size);
    *out = NULL;
    if (!learning)
        return egc_fail_memory(err, type->size);
    learning->type = type;
    learning->config = config;
    learning->n_workers = (size_t)config->options.workers;
    egc_status status = egc_route_init(&learning->route, config, err);
    if (!status)
        status = type->open(learning, err);
    if (!status)
        status = make_plan(learning, err);
    if (!status) {
        learning->n = learning->workload->n_params;
        status = make_outgoing(learning, err);
    }
    if (!status)
        status = make_learnt(learning, err);
    if (!status)
        status = type->start(learning, err);
    if (status)
        egc_learning_free(learning);
    else
        *out = learning;
    return status;
}

void egc_learning_free(egc_learning *learning)
{
    if (!learning)
        return;
    for (size_t i = 0; learning->outgoing && i < n_outgoing(learning); i++) {
        egc_outgoing *out = &learning->outgoing[i];
        for (size_t piece = 0; piece < egc_learning_pieces(learning, out); piece++)
            egc_buf_fini(egc_outgoing_piece(out, piece));
    }
    learning->type->close(learning);
    egc_plan_fini(&learning->plan);
    egc_arena_fini(&learning->arena);
    egc_free(learning);
}
