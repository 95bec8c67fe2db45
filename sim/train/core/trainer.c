/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/core/trainer.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "compressors/core/encoder.h"
#include "compressors/core/round_plan.h"
#include "train/algorithm.h"
#include "train/core/optimizer.h"
#include "train/core/replica.h"
#include "train/cost/compression_time.h"

egc_status egc_trainer_check(const egc_train_config *config, egc_error *err)
{
    const char *algorithm = egc_algorithm_of(config)->name;
    size_t rounds = egc_round_plan_count(&config->method);
    egc_round round = egc_round_plan_at(&config->method, 0);
    if (rounds > 1 ||
        (round.kind != EGC_COLLECTIVE_ALLGATHER && round.kind != EGC_COLLECTIVE_ALLREDUCE))
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "method: %s takes several rounds a step, which algorithm %s has not; use "
                        "algorithm sync",
                        config->method.name, algorithm);
    if (config->options.sampled_workers)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "sampled_workers: algorithm %s needs all workers to learn; must be 0, got "
                        "%lld",
                        algorithm, (long long)config->options.sampled_workers);
    if (config->method.options.predivide)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "method: predivide is for sums on the way, which algorithm %s has not",
                        algorithm);
    if (config->exchange || config->sparse)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "exchange: algorithm %s has its own; must be auto, got %s", algorithm,
                        config->exchange ? config->exchange->name : config->sparse->name);
    static const char *const idle[] = {"group", "schedule", "partition"};
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
    *trainer = (egc_trainer){.config = config, .n_workers = n_workers, .n_messages = n_workers};
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

egc_status egc_trainer_parameters(const egc_trainer *trainer, float **out, egc_error *err)
{
    *out = egc_calloc(trainer->n, sizeof(float));
    if (!*out)
        return egc_fail_memory(err, trainer->n * sizeof(float));
    return trainer->workload->type->initialize(trainer->workload, *out, err);
}

egc_status egc_trainer_simulate(egc_trainer *trainer, egc_error *err)
{
    egc_status status = egc_world_run(trainer->world, err);
    return status == EGC_ERROR_SIMULATION
               ? egc_error_prefix(err, "step %llu", (unsigned long long)trainer->step)
               : status;
}

/* ---- a step --------------------------------------------------------------------------------- */

double egc_trainer_lr(const egc_trainer *trainer, uint64_t step)
{
    return egc_optimizer_lr(&trainer->workload->optimizer, step,
                            (uint64_t)trainer->config->options.steps);
}

egc_status egc_trainer_gradient(egc_trainer *trainer, uint64_t step, size_t worker,
                                const float *parameters, float *gradient, double *loss,
                                egc_error *err)
{
    egc_workload *workload = trainer->workload;
    egc_status status =
        workload->type->gradient(workload, step, worker, parameters, gradient, loss, err);
    if (!status && !isfinite(*loss))
        status = egc_fail(err, EGC_ERROR_NONFINITE, "training loss is not finite");
    return status;
}

/* What the workers received since the last step. */
static double recv_bytes(egc_trainer *trainer)
{
    double total = 0;
    for (size_t w = 0; w < trainer->n_workers; w++)
        total += egc_world_transport(trainer->world, (int)w, 0)->recv_bytes;
    double since = total - trainer->recv_bytes_seen;
    trainer->recv_bytes_seen = total;
    return since;
}

egc_status egc_trainer_end_step(egc_trainer *trainer, const float *parameters, egc_error *err)
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
        egc_workload *workload = trainer->workload;
        status = workload->type->evaluate(workload, parameters, &evaluation, err);
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
    return (egc_coder_config){
        .method = &trainer->config->method,
        .momentum = trainer->momentum,
        .n_workers = n_messages,
        .seed = (uint64_t)trainer->config->options.seed,
        .units = trainer->partition.units,
        .n_units = trainer->partition.n_units,
        .workspace = trainer->workspace,
    };
}

egc_status egc_coders_init(egc_coders *sender, egc_trainer *trainer, size_t number, egc_error *err)
{
    const egc_coder_config config = egc_trainer_coder_config(trainer, trainer->n_messages);
    return egc_coders_init_as(sender, trainer, &config, number, err);
}

egc_status egc_coders_init_as(egc_coders *sender, egc_trainer *trainer,
                              const egc_coder_config *config, size_t number, egc_error *err)
{
    size_t n_buckets = trainer->partition.n_buckets;
    *sender = (egc_coders){
        .trainer = trainer,
        .method = config->method,
        .messages = egc_calloc(n_buckets, sizeof *sender->messages),
        .encode_s = egc_calloc(n_buckets, sizeof *sender->encode_s),
    };
    if (!sender->messages || !sender->encode_s)
        return egc_fail_memory(err, n_buckets * sizeof *sender->messages);
    return egc_encoder_new(config, number, NULL, &sender->encoder, err);
}

void egc_coders_fini(egc_coders *sender)
{
    for (size_t b = 0; sender->messages && b < sender->trainer->partition.n_buckets; b++)
        egc_buf_fini(&sender->messages[b]);
    egc_free(sender->messages);
    egc_free(sender->encode_s);
    egc_encoder_free(sender->encoder);
}

/* Charges a bucket's message, which took host_s here. */
static double charge(const egc_coders *sender, size_t b, double host_s)
{
    const egc_trainer *trainer = sender->trainer;
    const egc_bucket *bucket = &trainer->partition.buckets[b];
    egc_part_stats *parts = &trainer->stats.parts[bucket->first_unit];
    for (size_t i = 0; i < bucket->n_units; i++) {
        const egc_encoding *encoding =
            egc_encoder_encoding(sender->encoder, bucket->first_unit + i);
        parts[i] = (egc_part_stats){encoding->sent, encoding->wire_bytes};
    }
    const egc_compression_time what = {.config = trainer->config,
                                       .method = sender->method,
                                       .partition = &trainer->partition,
                                       .bucket = bucket,
                                       .host_s = host_s};
    return egc_compression_time_encode(&what, parts);
}

static egc_status encode_bucket(egc_coders *sender, size_t b, egc_error *err)
{
    const egc_bucket *bucket = &sender->trainer->partition.buckets[b];
    egc_buf *message = &sender->messages[b];
    egc_buf_clear(message);
    double start_s = egc_clock_now();
    egc_status status = egc_encoder_message(sender->encoder, 0, bucket->first_unit, bucket->n_units,
                                            0, message, err);
    if (!status)
        status = egc_encoder_finish(sender->encoder, bucket->first_unit, bucket->n_units, err);
    if (!status)
        sender->encode_s[b] = charge(sender, b, egc_clock_now() - start_s);
    return status;
}

egc_status egc_coders_encode(egc_coders *sender, uint64_t step, double lr, const float *vector,
                             egc_error *err)
{
    egc_gradient_check check;
    const egc_step_input input = {.step = step, .lr = lr, .gradient = vector};
    egc_status status = egc_encoder_step(sender->encoder, &input, &check, err);
    for (size_t b = 0; b < sender->trainer->partition.n_buckets && !status; b++)
        status = encode_bucket(sender, b, err);
    sender->nonfinite = (double)(check.nan_count + check.inf_count);
    return status;
}

void egc_coders_count(egc_coders *sender)
{
    egc_trainer *trainer = sender->trainer;
    egc_step_totals *totals = &trainer->stats.totals;
    for (size_t u = 0; u < trainer->partition.n_units; u++)
        egc_step_stats_add(&trainer->stats, u, egc_encoder_encoding(sender->encoder, u));
    for (size_t b = 0; b < trainer->partition.n_buckets; b++)
        totals->message_bytes += (double)sender->messages[b].len;
    totals->nonfinite += sender->nonfinite;
}

egc_status egc_trainer_decoder(const egc_trainer *trainer, size_t n_messages, egc_decoder **out,
                               egc_error *err)
{
    const egc_coder_config config = egc_trainer_coder_config(trainer, n_messages);
    return egc_decoder_new(&config, out, err);
}

egc_status egc_trainer_decode(const egc_trainer *trainer, egc_decoder *decoder, uint64_t step,
                              size_t b, const egc_buf *messages, size_t n_messages, float *average,
                              double *decode_s, egc_error *err)
{
    const egc_bucket *bucket = &trainer->partition.buckets[b];
    egc_reader *readers = egc_calloc(n_messages, sizeof *readers);
    *decode_s = 0;
    if (!readers)
        return egc_fail_memory(err, n_messages * sizeof *readers);
    for (size_t i = 0; i < n_messages; i++)
        readers[i] = egc_reader_of(messages[i].data, messages[i].len);
    const egc_decoder_input delivery = {
        .step = step,
        .first = bucket->first_unit,
        .count = bucket->n_units,
        .messages = readers,
        .n_messages = n_messages,
    };
    double start_s = egc_clock_now();
    egc_status status = egc_decoder_decode(decoder, &delivery, average, err);
    const egc_compression_time what = {.config = trainer->config,
                                       .partition = &trainer->partition,
                                       .bucket = bucket,
                                       .host_s = egc_clock_now() - start_s};
    *decode_s = egc_compression_time_decode(
        &what, &(egc_round_result){.messages = messages, .n_messages = n_messages});
    egc_free(readers);
    for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++)
        trainer->stats.correction[u] = egc_decoder_correction(decoder, u);
    return status;
}
