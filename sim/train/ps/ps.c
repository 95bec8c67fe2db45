/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parameter server (EGC-PS): servers hold the parameters, each some buckets of them; workers
 * push compressed gradients and pull parameters. The scheme is that of Li et al. 2014, the
 * stale-synchronous mode that of Ho et al. 2013.
 *
 * A gradient of an asynchronous run weighs 1 / workers by default, its weight in the mean of a
 * synchronous step, so that as many gradients move the parameters as far at the same learning rate.
 * Workers compute on parameters that others have changed since, by as many updates as there are
 * other workers; at full weight that delay would limit the stable learning rate to a fraction of
 * the synchronous one. */
#include "train/ps/ps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "compressors/core/decoder.h"
#include "train/algorithm.h"
#include "train/core/exchange_choice.h"

/* Each connection has an actor with a stack in the address space. */
enum { CONNECTIONS_MAX = 16384 };

static const char *const mode_words[] = {"sync", "async", "ssp", NULL};
static const char *const pull_words[] = {"dense", "recompress", "sum", NULL};

static const egc_param params_table[] = {
    EGC_PARAM(egc_ps_params, servers, INT, "servers",
              "servers; each holds some buckets, shared out by their bytes", .def = 1, .min = 1,
              .max = 65536),
    EGC_PARAM(egc_ps_params, colocated, BOOL, "colocated",
              "server s on the host of worker s; otherwise servers have the first hosts", .def = 0),
    EGC_PARAM(
        egc_ps_params, mode, CHOICE, "mode",
        "when a push is applied and answered: with all others, at once, or at once within bound",
        .def = EGC_PS_SYNC, .choices = mode_words),
    EGC_PARAM(egc_ps_params, bound, INT, "bound",
              "ssp: steps that the fastest worker may be ahead of the slowest", .def = 3,
              .max = 1e9),
    EGC_PARAM(egc_ps_params, pull, CHOICE, "pull",
              "answer of a server: parameters, compressed updates, or the sum that a sparse "
              "exchange made",
              .def = EGC_PS_PULL_DENSE, .choices = pull_words),
    EGC_PARAM(egc_ps_params, window, INT, "window",
              "messages that a server receives, and sends, at a time", .def = 64, .min = 1,
              .max = 65536),
    EGC_PARAM(egc_ps_params, weight, REAL, "weight",
              "async and ssp: weight of one gradient, relative to the mean of a synchronous step; "
              "unset: 1 / workers",
              .def = NAN, .max = INFINITY, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM_END,
};

static const egc_ps_params *params_of(const egc_train_config *config)
{
    return config->algorithm_params;
}

static size_t n_servers(const egc_train_config *config)
{
    return (size_t)params_of(config)->servers;
}

static bool is_colocated(const egc_train_config *config)
{
    return params_of(config)->colocated;
}

/* Sync: sparse messages are summed by the rule of the exchange that is named. */
static egc_status check_sum(const egc_train_config *config, egc_error *err)
{
    if (!config->sparse)
        return params_of(config)->pull == EGC_PS_PULL_SUM
                   ? egc_fail(err, EGC_ERROR_UNSUPPORTED,
                              "algorithm.pull: sum needs an exchange that sums sparse messages, "
                              "as sparcml or gtopk")
                   : EGC_OK;
    egc_merge_rule rule = egc_exchange_choice_merge(config->sparse);
    return egc_merger_check(&config->method, rule, err)
               ? egc_error_prefix(err, "exchange: %s sums sparse messages", config->sparse->name)
               : EGC_OK;
}

static egc_status check(const egc_train_config *config, egc_error *err)
{
    const egc_ps_params *params = params_of(config);
    size_t workers = (size_t)config->options.workers;
    egc_method down;
    egc_status status = egc_trainer_check(config, err);
    if (status)
        return status;
    if (params->colocated && n_servers(config) > workers)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "algorithm.servers: must be at most the workers, %zu, to be colocated with "
                        "them, got %zu",
                        workers, n_servers(config));
    if (n_servers(config) * workers > CONNECTIONS_MAX)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "algorithm.servers: servers * workers must be at most %d, got %zu",
                        CONNECTIONS_MAX, n_servers(config) * workers);
    status =
        params->mode == EGC_PS_SYNC ? check_sum(config, err) : egc_trainer_check_alone(config, err);
    return !status && params->pull == EGC_PS_PULL_RECOMPRESS
               ? egc_ps_pull_method(config, &down, err)
               : status;
}

/* ---- shards ---------------------------------------------------------------------------------- */

/* The largest bucket that has none yet goes to the server that has least; of equals, the first. So
 * no server has more than 4/3 of the least possible maximum (Graham 1969), and each has something.
 */
static egc_status share_out(egc_ps *all, egc_error *err)
{
    size_t *load = egc_calloc(all->n_servers, sizeof *load);
    if (!load)
        return egc_fail_memory(err, all->n_servers * sizeof *load);
    for (size_t b = 0; b < all->n_buckets; b++)
        all->buckets[b].server = all->n_servers;
    for (size_t i = 0; i < all->n_buckets; i++) {
        egc_ps_bucket *largest = NULL;
        size_t least = 0;
        for (size_t b = 0; b < all->n_buckets; b++) {
            egc_ps_bucket *bucket = &all->buckets[b];
            if (bucket->server == all->n_servers &&
                (!largest || egc_ps_range(all, bucket)->count > egc_ps_range(all, largest)->count))
                largest = bucket;
        }
        for (size_t s = 1; s < all->n_servers; s++)
            if (load[s] < load[least])
                least = s;
        largest->server = least;
        load[least] += egc_ps_range(all, largest)->count;
    }
    egc_free(load);
    return EGC_OK;
}

static egc_status check_shards(const egc_ps *all, egc_error *err)
{
    bool layers = all->trainer.config->options.bucket_bytes == EGC_BUCKET_LAYER;
    if (all->n_servers <= all->n_buckets)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_RANGE,
                    "algorithm.servers: must be at most the buckets of the model, %zu, got %zu%s",
                    all->n_buckets, all->n_servers,
                    layers ? "" : "; bucket = \"layer\" makes more of them");
}

/* ---- life ------------------------------------------------------------------------------------ */

/* The configuration of the coders of synchronous workers and their servers. */
static egc_coder_config sync_coder(const egc_ps *all)
{
    egc_coder_config coder = egc_trainer_coder_config(&all->trainer, all->n_workers);
    coder.merge = all->merge;
    return coder;
}

/* n zeroed objects that live as long as the run; NULL when out of memory. */
static void *allocate(egc_ps *all, size_t n, size_t size)
{
    return egc_arena_alloc(&all->trainer.arena, n * size);
}

static egc_status bucket_init(egc_ps_bucket *bucket, egc_ps *all, egc_error *err)
{
    size_t n = all->n_workers, n_coders = all->params->mode == EGC_PS_SYNC ? 1 : n;
    bucket->number = (size_t)(bucket - all->buckets);
    bucket->pushes = allocate(all, n, sizeof *bucket->pushes);
    bucket->answers = allocate(all, n, sizeof *bucket->answers);
    bucket->taken = allocate(all, n, sizeof *bucket->taken);
    bucket->seen = allocate(all, n, sizeof *bucket->seen);
    bucket->waits = allocate(all, n, sizeof *bucket->waits);
    bucket->answered_s = allocate(all, n, sizeof *bucket->answered_s);
    bucket->coders = allocate(all, n_coders, sizeof *bucket->coders);
    if (!bucket->pushes || !bucket->answers || !bucket->taken || !bucket->seen || !bucket->waits ||
        !bucket->answered_s || !bucket->coders)
        return egc_fail_memory(err, n * sizeof *bucket->pushes);
    egc_status status = EGC_OK;
    for (size_t i = 0; all->params->pull == EGC_PS_PULL_RECOMPRESS && i < n_coders && !status; i++)
        status = egc_ps_pull_coder_init(&bucket->coders[i], all, bucket, i, err);
    if (!status && all->params->mode == EGC_PS_SYNC && all->merge) {
        const egc_bucket *range = egc_ps_range(all, bucket);
        const egc_coder_config coder = sync_coder(all);
        status = egc_merger_new(&coder, range->first_unit, range->n_units, &bucket->merger, err);
    }
    return status;
}

static void bucket_fini(egc_ps_bucket *bucket, const egc_ps *all)
{
    size_t n_coders = all->params->mode == EGC_PS_SYNC ? 1 : all->n_workers;
    for (size_t w = 0; w < all->n_workers; w++) {
        if (bucket->pushes)
            egc_buf_fini(&bucket->pushes[w]);
        if (bucket->answers)
            egc_buf_fini(&bucket->answers[w]);
    }
    for (size_t i = 0; bucket->coders && i < n_coders; i++)
        egc_ps_pull_coder_fini(&bucket->coders[i]);
    egc_merger_free(bucket->merger);
    egc_buf_fini(&bucket->reply);
}

static egc_status server_init(egc_ps_server *server, egc_ps *all, size_t number, egc_error *err)
{
    *server = (egc_ps_server){
        .ps = all,
        .number = number,
        .rank = (int)(all->n_workers + number),
        .arrived = egc_semaphore_new(0),
        .credits = egc_semaphore_new((int)all->params->window),
        .room = all->n_workers * (all->n_buckets + 1),
        .gone = allocate(all, all->n_workers, sizeof *server->gone),
    };
    server->arrivals = allocate(all, server->room, sizeof *server->arrivals);
    server->answers = allocate(all, (size_t)all->params->window, sizeof *server->answers);
    if (!server->arrived || !server->credits || !server->arrivals || !server->gone ||
        !server->answers)
        return egc_fail_memory(err, server->room * sizeof *server->arrivals);
    server->transport = egc_world_transport(all->trainer.world, server->rank, 0);
    server->compute = egc_trainer_stream(&all->trainer, server->rank, EGC_STREAM_COMPUTE);
    char name[64];
    snprintf(name, sizeof name, "server %zu", number);
    return egc_actor_spawn(all->trainer.world, server->rank, name, egc_ps_server_run, server, err);
}

static void server_fini(egc_ps_server *server)
{
    egc_semaphore_free(server->arrived);
    egc_semaphore_free(server->credits);
}

static egc_status make_gates(egc_ps_worker *w, egc_error *err)
{
    size_t n_servers = w->ps->n_servers;
    w->begun = egc_semaphore_new(0);
    w->ready = egc_semaphore_new(0);
    w->made = egc_semaphore_new(0);
    w->done = egc_semaphore_new(0);
    w->pushed = allocate(w->ps, n_servers, sizeof *w->pushed);
    bool made = w->begun && w->ready && w->made && w->done && w->pushed;
    for (size_t s = 0; made && s < n_servers; s++)
        made = (w->pushed[s] = egc_semaphore_new(0));
    return made ? EGC_OK : egc_fail_memory(err, n_servers * sizeof *w->pushed);
}

static egc_status spawn_streams(egc_ps_worker *w, egc_error *err)
{
    static const struct {
        const char *name;
        egc_actor_main main;
    } streams[] = {{"worker %zu", egc_ps_worker_compute_stream},
                   {"push stream of worker %zu", egc_ps_worker_push_stream},
                   {"pull stream of worker %zu", egc_ps_worker_pull_stream}};
    egc_status status = EGC_OK;
    for (size_t i = 0; i < sizeof streams / sizeof *streams && !status; i++) {
        char name[64];
        snprintf(name, sizeof name, streams[i].name, w->rank);
        status = egc_actor_spawn(w->ps->trainer.world, (int)w->rank, name, streams[i].main, w, err);
    }
    return status;
}

static egc_status worker_init(egc_ps_worker *w, egc_ps *all, size_t rank, egc_error *err)
{
    bool sync = all->params->mode == EGC_PS_SYNC;
    *w = (egc_ps_worker){
        .ps = all,
        .rank = rank,
        .transport = egc_world_transport(all->trainer.world, (int)rank, 0),
        .compute = egc_trainer_stream(&all->trainer, (int)rank, EGC_STREAM_COMPUTE),
        .compression = egc_trainer_stream(&all->trainer, (int)rank, EGC_STREAM_COMPRESSION),
        .reception = egc_trainer_stream(&all->trainer, (int)rank, EGC_STREAM_RECEPTION),
        .replica = sync ? &all->replica : &w->own,
        .pushes = allocate(all, all->n_buckets, sizeof *w->pushes),
        .pulls = allocate(all, all->n_buckets, sizeof *w->pulls),
        .pulled = allocate(all, all->n_buckets, sizeof *w->pulled),
    };
    if (!w->pushes || !w->pulls || !w->pulled)
        return egc_fail_memory(err, all->n_buckets * sizeof *w->pulled);
    egc_status status = make_gates(w, err);
    const egc_trainer *trainer = &all->trainer;
    const egc_coder_config coder = sync ? sync_coder(all) : egc_trainer_coder_config(trainer, 1);
    if (!status)
        status = egc_coders_init(&w->coders, trainer->config, &trainer->partition, &coder, rank,
                                 all->decoder, err);
    if (!status && !sync)
        status = egc_replica_init(&w->own, trainer->config, trainer->workload, false, err);
    if (!status && !sync)
        status = egc_decoder_new(&coder, &w->decoder, err);
    return status ? status : spawn_streams(w, err);
}

static void worker_fini(egc_ps_worker *w)
{
    const egc_ps *all = w->ps;
    egc_coders_fini(&w->coders);
    egc_decoder_free(w->decoder);
    egc_replica_fini(&w->own);
    egc_semaphore_free(w->begun);
    egc_semaphore_free(w->ready);
    egc_semaphore_free(w->made);
    egc_semaphore_free(w->done);
    for (size_t s = 0; w->pushed && s < all->n_servers; s++)
        egc_semaphore_free(w->pushed[s]);
    for (size_t b = 0; w->pulled && b < all->n_buckets; b++)
        egc_buf_fini(&w->pulled[b]);
}

static egc_status spawn_receivers(egc_ps *all, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t i = 0; i < all->n_servers * all->n_workers && !status; i++) {
        egc_ps_receiver *receiver = &all->receivers[i];
        char name[64];
        *receiver = (egc_ps_receiver){
            .server = &all->servers[i / all->n_workers],
            .worker = &all->workers[i % all->n_workers],
            .connection = egc_trainer_stream(&all->trainer, (int)(i % all->n_workers),
                                             EGC_STREAM_COMMUNICATION),
        };
        receiver->connection.lane = receiver->server->number;
        snprintf(name, sizeof name, "server %zu for worker %zu", receiver->server->number,
                 receiver->worker->rank);
        status = egc_actor_spawn(all->trainer.world, receiver->server->rank, name,
                                 egc_ps_server_receive, receiver, err);
    }
    return status;
}

static egc_status make_arrays(egc_ps *all, egc_error *err)
{
    size_t n = all->trainer.n;
    bool momentum = !egc_method_has_momentum(&all->trainer.config->method);
    all->workers = allocate(all, all->n_workers, sizeof *all->workers);
    all->servers = allocate(all, all->n_servers, sizeof *all->servers);
    all->receivers = allocate(all, all->n_servers * all->n_workers, sizeof *all->receivers);
    all->buckets = allocate(all, all->n_buckets, sizeof *all->buckets);
    all->average = allocate(all, n, sizeof(float));
    all->gradient = allocate(all, n, sizeof(float));
    all->scratch = allocate(all, n, sizeof(float));
    if (!all->workers || !all->servers || !all->receivers || !all->buckets || !all->average ||
        !all->gradient || !all->scratch)
        return egc_fail_memory(err, n * sizeof(float));
    return egc_replica_init(&all->replica, all->trainer.config, all->trainer.workload, momentum,
                            err);
}

static egc_status ps_init(egc_ps *all, const egc_train_config *config, egc_error *err)
{
    const egc_ps_params *params = params_of(config);
    bool sync = params->mode == EGC_PS_SYNC;
    all->params = params;
    all->n_workers = all->trainer.n_workers;
    all->n_servers = n_servers(config);
    all->n_buckets = all->trainer.partition.n_buckets;
    all->tickets = (uint64_t)config->options.steps * all->n_workers;
    all->weight = sync ? 1 : isnan(params->weight) ? 1 / (double)all->n_workers : params->weight;
    egc_ps_rounds_init(all);
    if (config->sparse) {
        all->merge = egc_exchange_choice_merge(config->sparse);
        snprintf(all->trainer.reporter.summary->exchange, EGC_EXCHANGE_CHOICE_NAME, "%s",
                 config->sparse->name);
    }
    egc_status status = check_shards(all, err);
    if (!status && params->pull == EGC_PS_PULL_RECOMPRESS)
        status = egc_ps_pull_method(config, &all->down, err);
    if (!status)
        status = make_arrays(all, err);
    const egc_coder_config coder = sync_coder(all);
    if (!status && sync)
        status = egc_decoder_new(&coder, &all->decoder, err);
    for (size_t b = 0; b < all->n_buckets && !status; b++)
        status = bucket_init(&all->buckets[b], all, err);
    if (!status)
        status = share_out(all, err);
    for (size_t s = 0; s < all->n_servers && !status; s++)
        status = server_init(&all->servers[s], all, s, err);
    for (size_t w = 0; w < all->n_workers && !status; w++)
        status = worker_init(&all->workers[w], all, w, err);
    return status ? status : spawn_receivers(all, err);
}

static void ps_fini(egc_ps *all)
{
    for (size_t w = 0; all->workers && w < all->n_workers; w++)
        if (all->workers[w].ps)
            worker_fini(&all->workers[w]);
    for (size_t s = 0; all->servers && s < all->n_servers; s++)
        server_fini(&all->servers[s]);
    for (size_t b = 0; all->buckets && b < all->n_buckets; b++)
        bucket_fini(&all->buckets[b], all);
    egc_decoder_free(all->decoder);
    egc_replica_fini(&all->replica);
}

static egc_status run_ps(const egc_train_config *config, const egc_train_sink *sink,
                         egc_train_summary *out, egc_error *err)
{
    egc_ps all = {0};
    egc_status status = egc_trainer_init(&all.trainer, config, sink, out, err);
    if (!status) {
        status = ps_init(&all, config, err);
        if (!status)
            status = egc_trainer_simulate(&all.trainer, err);
        egc_reporter_end(&all.trainer.reporter);
        ps_fini(&all);
    }
    egc_trainer_fini(&all.trainer);
    return status;
}

const egc_algorithm_type egc_algorithm_ps = {
    .name = "ps",
    .summary = "parameter servers, synchronous, asynchronous or in between: EGC-PS",
    .reference = "Li et al., Scaling distributed machine learning with the parameter server, OSDI "
                 "2014; ssp: Ho et al., NIPS 2013; pull = \"recompress\": Tang et al., "
                 "DoubleSqueeze, 2019, arXiv 1905.05957",
    .params = params_table,
    .params_size = sizeof(egc_ps_params),
    .servers = n_servers,
    .colocated = is_colocated,
    .check = check,
    .run = run_ps,
};
