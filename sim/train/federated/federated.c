/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Federated averaging (EGC-FL): in each round a server samples clients, sends them the model, and
 * averages the differences that they send back after training on their own data.
 *
 *     server --model--> sampled clients     all at once over its uplink, each over its own link
 *     client: local steps, compress         at its own speed
 *     client --difference--> server         when it is done
 *     server: decode, average, update       when enough have arrived, or at the deadline
 *
 * A step of the run is a round. The training of a client (model.h, downlink.h) does not depend on
 * time, so it is done when the round begins, in the order of the clients' numbers, and clients then
 * spend the time. Which of them are in time does depend on it.
 *
 * The first `wanted` uploads of a round count. Later ones are lost: the client does not know, so
 * their content has left its error feedback, and only the part it kept back is sent again. A client
 * is not sampled before its upload has ended.
 *
 * The server is host 0 (of the cluster wan with `server`: its server) and the clients are the hosts
 * after it. Each client has an actor on its own host and one at the server. */
#include "train/federated/federated.h"

#include <math.h>
#include <stdio.h>

#include "train/algorithm.h"
#include "train/core/delta.h"

/* ---- life ----------------------------------------------------------------------------------- */

/* n zeroed objects that live as long as the run; NULL when out of memory. */
static void *allocate(egc_federated *f, size_t n, size_t size)
{
    return egc_arena_alloc(&f->trainer.arena, n * size);
}

static egc_status member_init(egc_federated *f, size_t number, egc_error *err)
{
    egc_federated_client *m = &f->members[number];
    size_t n_buckets = f->trainer.partition.n_buckets;
    *m = (egc_federated_client){
        .federation = f,
        .number = number,
        .compute = egc_trainer_stream(&f->trainer, (int)number, EGC_STREAM_COMPUTE),
        .communication = egc_trainer_stream(&f->trainer, (int)number, EGC_STREAM_COMMUNICATION),
        .client_begins = egc_semaphore_new(0),
        .server_begins = egc_semaphore_new(0),
        .uploaded = allocate(f, n_buckets, sizeof *m->uploaded),
        .sends = allocate(f, n_buckets, sizeof *m->sends),
        .receives = allocate(f, n_buckets, sizeof *m->receives),
    };
    if (!m->client_begins || !m->server_begins || !m->uploaded || !m->sends || !m->receives)
        return egc_fail_memory(err, n_buckets * sizeof *m->uploaded);
    char name[64];
    snprintf(name, sizeof name, "client %zu", number);
    egc_status status =
        egc_actor_spawn(f->trainer.world, (int)number, name, egc_federated_client_run, m, err);
    if (status)
        return status;
    snprintf(name, sizeof name, "server of client %zu", number);
    return egc_actor_spawn(f->trainer.world, egc_federated_server_rank(f), name,
                           egc_federated_client_serve, m, err);
}

static void member_fini(egc_federated_client *m, size_t n_buckets)
{
    for (size_t b = 0; m->uploaded && b < n_buckets; b++)
        egc_buf_fini(&m->uploaded[b]);
    egc_buf_fini(&m->download);
    egc_buf_fini(&m->model);
    egc_semaphore_free(m->client_begins);
    egc_semaphore_free(m->server_begins);
}

static void federation_fini(egc_federated *f)
{
    for (size_t c = 0; f->members && c < f->trainer.n_workers; c++)
        member_fini(&f->members[c], f->trainer.partition.n_buckets);
    egc_semaphore_free(f->news);
    egc_downlink_fini(&f->downlink);
    egc_federated_model_fini(&f->clients);
    egc_trainer_fini(&f->trainer);
}

static egc_status federation_init(egc_federated *f, egc_error *err)
{
    size_t n = f->trainer.n_workers;
    f->members = allocate(f, n, sizeof *f->members);
    f->sample = allocate(f, n, sizeof *f->sample);
    f->idle = allocate(f, n, sizeof *f->idle);
    f->uploads = allocate(f, n, sizeof *f->uploads);
    f->news = egc_semaphore_new(0);
    f->server = egc_trainer_stream(&f->trainer, egc_federated_server_rank(f), EGC_STREAM_COMPUTE);
    if (!f->members || !f->sample || !f->idle || !f->uploads || !f->news)
        return egc_fail_memory(err, n * sizeof *f->members);
    egc_status status =
        egc_federated_model_init(&f->clients, &f->trainer, &f->params->clients, err);
    if (!status)
        status = egc_downlink_init(&f->downlink, &f->trainer,
                                   f->params->downlink == EGC_DOWNLINK_COMPRESSED,
                                   f->clients.server.parameters, err);
    for (size_t c = 0; c < n && !status; c++)
        status = member_init(f, c, err);
    return status ? status
                  : egc_actor_spawn(f->trainer.world, egc_federated_server_rank(f), "server",
                                    egc_federated_server_run, f, err);
}

static egc_status run_federated(const egc_train_config *config, const egc_train_sink *sink,
                                egc_train_summary *out, egc_error *err)
{
    egc_federated f = {.params = config->algorithm_params};
    egc_status status = egc_trainer_init(&f.trainer, config, sink, out, err);
    if (!status)
        status = federation_init(&f, err);
    if (!status)
        status = egc_trainer_simulate(&f.trainer, err);
    if (status && f.trainer.world)
        egc_reporter_end(&f.trainer.reporter);
    federation_fini(&f);
    return status;
}

/* ---- checks before a run ----------------------------------------------------------------------
 */

static egc_status check_method(const egc_train_config *config, egc_error *err)
{
    const egc_method *method = &config->method;
    const egc_error_feedback_type *error_feedback =
        egc_error_feedback_types()[method->options.error_feedback];
    const egc_federated_params *params = config->algorithm_params;
    if (error_feedback->accumulates)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "method: memory = \"%s\" needs a message of every worker at every step, "
                        "which algorithm federated has not",
                        error_feedback->name);
    if (method->options.residual_lr == EGC_RESIDUAL_LR_RESCALE)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "method: residual_lr = \"rescale\" is for gradients; what clients of "
                        "algorithm federated send has its learning rate in it");
    return params->downlink == EGC_DOWNLINK_COMPRESSED ? egc_delta_check(method, err) : EGC_OK;
}

static egc_status check(const egc_train_config *config, egc_error *err)
{
    const egc_federated_params *params = config->algorithm_params;
    const egc_federated_model_options *clients = &params->clients;
    if (clients->local_epochs && clients->local_steps)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "algorithm: local_epochs and local_steps exclude each other, got %lld "
                        "and %lld",
                        (long long)clients->local_epochs, (long long)clients->local_steps);
    if (params->over_selection > 1 && params->participation == 1)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "algorithm: over_selection needs participation < 1: all clients are "
                        "sampled already");
    egc_status status = egc_trainer_check(config, err);
    if (!status)
        status = egc_trainer_check_alone(config, err);
    if (!status)
        status = egc_trainer_check_streams(config, err);
    if (!status)
        status = egc_trainer_check_clip(config, err);
    if (!status && !clients->local_steps && !config->workload->share)
        status = egc_fail(err, EGC_ERROR_UNSUPPORTED,
                          "algorithm: workload %s does not say how long an epoch is; use "
                          "local_steps",
                          config->workload->name);
    return status ? status : check_method(config, err);
}

static size_t servers(const egc_train_config *config)
{
    (void)config;
    return 1;
}

static const char *const downlinks[] = {"dense", "compressed", NULL};
static const char *const weightings[] = {"examples", "equal", NULL};
static const char *const places[] = {"local", "rounds", NULL};

static const egc_param params[] = {
    EGC_PARAM(egc_federated_params, participation, REAL, "participation",
              "share of the clients that is sampled in a round, at least one client", .def = 1,
              .min = 0, .max = 1, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(
        egc_federated_params, clients.local_epochs, INT, "local_epochs",
        "passes of a client over its own examples in a round; 1 when local_steps is not given",
        .def = 0, .min = 0, .max = 1e6),
    EGC_PARAM(egc_federated_params, clients.local_steps, INT, "local_steps",
              "steps of a client in a round, in place of local_epochs", .def = 0, .min = 0,
              .max = 1e9),
    EGC_PARAM(
        egc_federated_params, clients.momentum, CHOICE, "momentum",
        "where it acts: in a client's steps, from 0 in each round; or from round to round, in "
        "the method's memory or at the server",
        .def = EGC_FEDERATED_MOMENTUM_LOCAL, .choices = places),
    EGC_PARAM(egc_federated_params, downlink, CHOICE, "downlink",
              "message to clients: the model, or its changes compressed by the method",
              .def = EGC_DOWNLINK_DENSE, .choices = downlinks),
    EGC_PARAM(egc_federated_params, clients.server_lr, REAL, "server_lr",
              "factor of the mean of the clients' differences", .def = 1, .min = 0, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MIN | EGC_PARAM_OPEN_MAX),
    EGC_PARAM(egc_federated_params, clients.weighting, CHOICE, "weighting",
              "weight of a client in the mean: its examples (equal where the workload does not "
              "state them), or equal",
              .def = EGC_FEDERATED_WEIGHTING_EXAMPLES, .choices = weightings),
    EGC_PARAM(egc_federated_params, over_selection, REAL, "over_selection",
              "factor by which more clients are sampled than counted; the first to answer count",
              .def = 1, .min = 1, .max = 1e6),
    EGC_PARAM(egc_federated_params, deadline_s, REAL, "deadline",
              "time after which a round is over, with any number of answers",
              .quantity = EGC_QUANTITY_TIME, .def = INFINITY, .min = 0, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM_END,
};

const egc_algorithm_type egc_algorithm_federated = {
    .name = "federated",
    .summary = "a server averages what sampled clients learnt on data of their own: EGC-FL",
    .reference = "McMahan et al. 2017, arXiv 1602.05629; deadline and over-selection: Bonawitz et "
                 "al. 2019, arXiv 1902.01046; the differences compressed: our reading of EGC-FL",
    .params = params,
    .params_size = sizeof(egc_federated_params),
    .servers = servers,
    .check = check,
    .run = run_federated,
};
