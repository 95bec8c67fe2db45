/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The step of algorithms that train inside the simulation: sums, evaluation and report when it
 * ends; and the checks that they share. */
#include "train/core/trainer.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compressors/core/encoder.h"
#include "compressors/core/round_plan.h"
#include "train/algorithm.h"

egc_status egc_trainer_check(const egc_train_config *config, egc_error *err)
{
    const char *algorithm = egc_algorithm_of(config)->name;
    if (config->options.sampled_workers)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "sampled_workers: algorithm %s needs all workers to learn; must be 0, got "
                        "%lld",
                        algorithm, (long long)config->options.sampled_workers);
    if (config->method.options.predivide)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "method: predivide is for sums on the way, which algorithm %s has not",
                        algorithm);
    if (config->exchange)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "exchange: algorithm %s has its own; must be auto, got %s", algorithm,
                        config->exchange->name);
    static const char *const idle[] = {"group", "exchange_order", "partition"};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (egc_param_changed(egc_param_find(egc_train_config_params, idle[i]), &config->options))
            return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                            "%s: is of exchanges between all workers, which algorithm %s has not; "
                            "leave it out",
                            idle[i], algorithm);
    if (!config->workload->closed_loop)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "workload: algorithm %s needs a network that trains, got %s; use train or "
                        "process",
                        algorithm, config->workload->name);
    return EGC_OK;
}

egc_status egc_trainer_check_alone(const egc_train_config *config, egc_error *err)
{
    const char *algorithm = egc_algorithm_of(config)->name;
    for (size_t r = 0; r < egc_round_plan_count(&config->method); r++)
        if (egc_round_plan_at(&config->method, r).kind == EGC_COLLECTIVE_ALLTOALL)
            return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                            "method: %s counts the votes of all workers at once, and algorithm %s "
                            "decodes the message of each alone; use vote = false",
                            config->method.name, algorithm);
    if (config->sparse)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "exchange: %s sums the messages of all workers at once, and algorithm %s "
                        "decodes the message of each alone; must be auto",
                        config->sparse->name, algorithm);
    return EGC_OK;
}

egc_status egc_trainer_check_streams(const egc_train_config *config, egc_error *err)
{
    static const char *const keys[] = {"overlap", "compress_on"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (egc_param_changed(egc_param_find(egc_train_config_params, keys[i]), &config->options))
            return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                            "%s: algorithm %s computes, compresses and exchanges one after the "
                            "other; leave it out",
                            keys[i], egc_algorithm_of(config)->name);
    return EGC_OK;
}

egc_status egc_trainer_check_clip(const egc_train_config *config, egc_error *err)
{
    double clip = config->method.options.clip;
    return clip > 0 ? egc_fail(err, EGC_ERROR_UNSUPPORTED,
                               "method: clip is of gradients, and algorithm %s compresses "
                               "differences of parameters; must be 0, got %g",
                               egc_algorithm_of(config)->name, clip)
                    : EGC_OK;
}

/* ---- life ----------------------------------------------------------------------------------- */

static egc_status make_plan(egc_trainer *trainer, egc_error *err)
{
    const egc_train_config *config = trainer->config;
    const egc_partition_options options = egc_partition_options_of(config);
    egc_status status = egc_partition_init(&trainer->partition, trainer->workload, &options, err);
    if (!status)
        status = egc_workspace_new(egc_partition_longest_unit(&trainer->partition),
                                   &trainer->workspace, err);
    size_t n_units = trainer->partition.n_units; /* and as many parts: of one message at a time */
    return status ? status
                  : egc_step_stats_init(&trainer->stats, &trainer->arena, trainer->n_workers,
                                        n_units, n_units, err);
}

/* The account of a step that begins now. */
static void open_account(egc_trainer *trainer)
{
    egc_step_stats_clear(&trainer->stats, trainer->partition.n_units);
    trainer->stats.totals.cosine = trainer->stats.totals.drift = NAN; /* no single truth */
    trainer->times = (egc_step_times){0};
    trainer->step_began_s = egc_world_now(trainer->world);
}

egc_status egc_trainer_init(egc_trainer *trainer, const egc_train_config *config,
                            const egc_train_sink *sink, egc_train_summary *summary, egc_error *err)
{
    size_t n_workers = (size_t)config->options.workers;
    *trainer = (egc_trainer){.config = config, .n_workers = n_workers};
    egc_status status = egc_replica_open_workload(config, &trainer->workload, err);
    if (status)
        return status;
    const egc_workload *workload = trainer->workload;
    trainer->n = workload->n_params;
    trainer->momentum = egc_replica_momentum(&config->method, workload);
    trainer->reporter = egc_reporter_of(config, sink, summary, workload, &trainer->partition);
    snprintf(summary->exchange, sizeof summary->exchange, "%s", egc_algorithm_of(config)->name);
    status = make_plan(trainer, err);
    if (!status)
        status = egc_algorithm_world(config, false, &trainer->world, err);
    if (status)
        return status;
    trainer->reporter.world = trainer->world;
    open_account(trainer);
    return EGC_OK;
}

void egc_trainer_fini(egc_trainer *trainer)
{
    egc_world_free(trainer->world);
    egc_workspace_free(trainer->workspace);
    egc_partition_fini(&trainer->partition);
    egc_arena_fini(&trainer->arena);
    egc_workload_free(trainer->workload);
}

egc_status egc_trainer_simulate(egc_trainer *trainer, egc_error *err)
{
    egc_status status = egc_world_run(trainer->world, err);
    return status == EGC_ERROR_SIMULATION
               ? egc_error_prefix(err, "step %llu", (unsigned long long)trainer->step)
               : status;
}

/* ---- a step --------------------------------------------------------------------------------- */

/* Bytes that the workers received since the last step. */
static double recv_bytes(egc_trainer *trainer)
{
    double total = 0;
    for (size_t w = 0; w < trainer->n_workers; w++)
        total += egc_world_transport(trainer->world, (int)w, 0)->recv_bytes;
    double since = total - trainer->recv_bytes_seen;
    trainer->recv_bytes_seen = total;
    return since;
}

egc_status egc_trainer_end_step(egc_trainer *trainer, const egc_replica *replica, egc_error *err)
{
    egc_reporter *reporter = &trainer->reporter;
    uint64_t step = trainer->step++;
    egc_evaluation evaluation;
    egc_status status = EGC_OK;
    size_t participants = egc_reporter_participants(reporter, &trainer->times);
    trainer->times.step_s =
        (egc_world_now(trainer->world) - trainer->step_began_s) * (double)participants;
    trainer->times.recv_bytes = recv_bytes(trainer);
    reporter->message_bytes_total += trainer->stats.totals.message_bytes;
    if (egc_reporter_evaluates(trainer->config, step + 1)) {
        status = egc_replica_evaluate(replica, &evaluation, err);
        if (!status)
            status = egc_reporter_evaluation(reporter, step, &evaluation, err);
    }
    if (!status)
        status = egc_reporter_step(reporter, step, &trainer->times, &trainer->stats, err);
    open_account(trainer);
    return status;
}

/* ---- the timeline --------------------------------------------------------------------------- */

egc_stream egc_trainer_stream(const egc_trainer *trainer, int rank, egc_stream_kind kind)
{
    return (egc_stream){
        .world = trainer->world, .sink = trainer->reporter.sink, .rank = rank, .kind = kind};
}

egc_timeline_event egc_trainer_event(const egc_trainer *trainer, const char *name, uint64_t step,
                                     size_t bucket)
{
    return (egc_timeline_event){.name = name,
                                .step = step,
                                .layers = trainer->partition.buckets[bucket].layers,
                                .bucket = bucket};
}

/* ---- compressing ---------------------------------------------------------------------------- */

egc_coder_config egc_trainer_coder_config(const egc_trainer *trainer, size_t n_messages)
{
    egc_coder_config coder =
        egc_coders_config(trainer->config, &trainer->partition, trainer->workspace);
    coder.momentum = trainer->momentum;
    coder.n_workers = n_messages;
    return coder;
}

egc_status egc_trainer_decode(egc_trainer *trainer, const egc_coders *coders, egc_decoder *decoder,
                              uint64_t step, size_t b, const egc_buf *message, float *out,
                              double *decode_s, egc_error *err)
{
    egc_status status =
        egc_coders_decode_alone(coders, decoder, step, b, message, out, decode_s, err);
    egc_coders_note_correction(decoder, &trainer->partition.buckets[b], &trainer->stats);
    return status;
}
