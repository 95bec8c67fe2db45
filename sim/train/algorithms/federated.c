/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Federated averaging (EGC-FL): in each round a server samples clients, sends them the model, and
 * averages what they send back after training on data of their own.
 *
 *     server --model--> sampled clients     all at once over its uplink, each over its own link
 *     client: local steps, compress         at its own speed
 *     client --difference--> server         when it is done
 *     server: decode, average, update       when enough are there, or the deadline is over
 *
 * A step of the run is a round. What clients learn (clients.h, downlink.h) does not depend on how
 * long it takes, so it is learnt when the round begins, in the order of their numbers, and clients
 * then spend the time; but who is in time does depend on it, and so what the server learns.
 *
 * Of a round, the first `wanted` uploads count. Later ones are lost: their client does not know,
 * so what it sent has left its memory, and only what it kept back comes again. Until its upload is
 * through it cannot be sampled.
 *
 * The server is host 0 (of the cluster wan with `server`: its server) and the clients come after
 * it. For each client there is an actor on its own host, and one at the server that serves it. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/rng.h"
#include "train/algorithm.h"
#include "train/clients.h"
#include "train/difference.h"
#include "train/downlink.h"

enum { SEED_SAMPLE = 0x73616d70 }; /* "samp": the stream of random numbers used here */

typedef enum downlink_kind { DOWNLINK_DENSE, DOWNLINK_COMPRESSED } downlink_kind;

typedef struct federated {
    double participation;
    double over_selection;
    double deadline_s;
    int downlink; /* downlink_kind */
    egc_clients_options clients;
} federated;

/* A client, and what the server knows of it. */
typedef struct member {
    struct federation *federation;
    size_t number;
    egc_gate *client_begins, *server_begins; /* one signal a round that it is sampled in */
    bool busy;                               /* from being sampled until its upload is through */
    uint64_t round;                          /* that it was last sampled in */
    bool has_view;                           /* since then */
    bool arrived;                            /* its upload counts */
    egc_buf download;                        /* what it is sent */
    double unpack_s;                         /* device time of taking that in */
    egc_buf model;                           /* what it received */
    egc_buf *uploaded;                       /* what the server received: of each bucket */
    egc_request **sends, **receives;         /* of each bucket */
} member;

typedef struct federation {
    const federated *params;
    egc_trainer trainer;
    egc_clients clients;
    egc_downlink downlink;
    member *members;
    size_t *sample, n_sampled; /* of the round under way, in the order of their numbers */
    size_t *idle;              /* to draw from */
    egc_upload *uploads;
    size_t n_wanted, n_arrived;
    double began_s; /* when those sampled were known */
    bool open;      /* uploads count still */
    bool over;      /* the run is */
    egc_gate *news; /* an upload came through */
} federation;

static int server_rank(const federation *f)
{
    return (int)f->trainer.n_workers;
}

static egc_transport *transport_of(federation *f, int rank)
{
    return egc_world_transport(f->trainer.world, rank, 0);
}

/* ---- a client ------------------------------------------------------------------------------- */

/* Occupies a rank's device, and says for how long that was. */
static double work(federation *f, int rank, double seconds)
{
    double start = egc_world_now(f->trainer.world);
    egc_world_compute(f->trainer.world, rank, seconds);
    return egc_world_now(f->trainer.world) - start;
}

static egc_status receive_model(member *m, egc_error *err)
{
    federation *f = m->federation;
    egc_transport *transport = transport_of(f, (int)m->number);
    egc_request *request;
    egc_status status = egc_irecv(transport, server_rank(f), &m->model, &request, err);
    if (!status)
        status = egc_wait(transport, request, err);
    egc_buf_fini(&m->model); /* what is in it, the member's messages were made of */
    m->model = (egc_buf){0};
    return status;
}

static egc_status upload(member *m, egc_error *err)
{
    federation *f = m->federation;
    egc_transport *transport = transport_of(f, (int)m->number);
    const egc_buf *messages = f->clients.client[m->number].sender.messages;
    size_t n_buckets = f->trainer.plan.n_buckets;
    egc_status status = EGC_OK;
    for (size_t b = 0; b < n_buckets && !status; b++)
        status = egc_isend(transport, server_rank(f), messages[b].data, messages[b].len,
                           &m->sends[b], err);
    for (size_t b = 0; b < n_buckets && !status; b++)
        status = egc_wait(transport, m->sends[b], err);
    return status;
}

static double compute_s(const federation *f, size_t number)
{
    const egc_plan *plan = &f->trainer.plan;
    double seconds = plan->forward_s;
    for (size_t b = 0; b < plan->n_buckets; b++)
        seconds += plan->buckets[b].backward_s;
    return seconds * (double)egc_clients_local_steps(&f->clients, number);
}

static double compress_s(const federation *f, size_t number)
{
    double seconds = 0;
    for (size_t b = 0; b < f->trainer.plan.n_buckets; b++)
        seconds += f->clients.client[number].sender.encode_s[b];
    return seconds;
}

/* Times go into the account of the round in which they end. */
static egc_status take_part(member *m, egc_error *err)
{
    federation *f = m->federation;
    egc_tally *tally = &f->trainer.tally;
    int rank = (int)m->number;
    double start = egc_world_now(f->trainer.world);
    egc_status status = receive_model(m, err);
    if (status)
        return status;
    tally->comm_s += egc_world_now(f->trainer.world) - start;
    double seconds = work(f, rank, m->unpack_s);
    tally->decompress_s += seconds;
    seconds = work(f, rank, compute_s(f, m->number));
    tally->compute_s += seconds;
    seconds = work(f, rank, compress_s(f, m->number));
    tally->compress_s += seconds;
    start = egc_world_now(f->trainer.world);
    status = upload(m, err);
    tally->comm_s += egc_world_now(f->trainer.world) - start;
    return status;
}

static egc_status client_main(void *arg, egc_error *err)
{
    member *m = arg;
    egc_status status = EGC_OK;
    egc_gate_wait(m->client_begins);
    while (!m->federation->over && !status) {
        status = take_part(m, err);
        if (!status)
            egc_gate_wait(m->client_begins);
    }
    return status;
}

/* ---- the server's side of a client ---------------------------------------------------------- */

static egc_status exchange(member *m, egc_error *err)
{
    federation *f = m->federation;
    egc_transport *transport = transport_of(f, server_rank(f));
    size_t n_buckets = f->trainer.plan.n_buckets;
    egc_request *send;
    egc_status status =
        egc_isend(transport, (int)m->number, m->download.data, m->download.len, &send, err);
    if (!status)
        status = egc_wait(transport, send, err);
    for (size_t b = 0; b < n_buckets && !status; b++)
        status = egc_irecv(transport, (int)m->number, &m->uploaded[b], &m->receives[b], err);
    for (size_t b = 0; b < n_buckets && !status; b++)
        status = egc_wait(transport, m->receives[b], err);
    return status;
}

static egc_status serve(void *arg, egc_error *err)
{
    member *m = arg;
    federation *f = m->federation;
    egc_status status = EGC_OK;
    egc_gate_wait(m->server_begins);
    while (!f->over && !status) {
        status = exchange(m, err);
        m->busy = false;
        m->arrived = f->open && m->round == f->trainer.step && f->n_arrived < f->n_wanted;
        f->n_arrived += m->arrived;
        egc_gate_signal(f->news);
        if (!status)
            egc_gate_wait(m->server_begins);
    }
    return status;
}

/* ---- a round -------------------------------------------------------------------------------- */

static size_t share_of(double share, size_t n)
{
    double count = round(share * (double)n);
    return count < 1 ? 1 : (size_t)count;
}

/* Draws from those that have nothing to do; when there are none, waits for one. */
static void sample(federation *f)
{
    const federated *params = f->params;
    size_t n = f->trainer.n_workers, n_idle = 0;
    for (;;) {
        for (size_t c = 0; c < n; c++)
            if (!f->members[c].busy)
                f->idle[n_idle++] = c;
        if (n_idle)
            break;
        egc_gate_wait(f->news);
    }
    uint64_t state =
        egc_seed_derive((uint64_t)f->trainer.config->options.seed, SEED_SAMPLE, f->trainer.step);
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    size_t wanted = share_of(params->participation, n);
    size_t more = (size_t)ceil(params->over_selection * (double)wanted);
    f->n_sampled = more < n_idle ? more : n_idle;
    f->n_wanted = wanted < f->n_sampled ? wanted : f->n_sampled;
    gsl_ran_choose(&rng, f->sample, f->n_sampled, f->idle, n_idle, sizeof *f->idle);
}

/* What a sampled client will get and send is made at once. */
static egc_status prepare(federation *f, member *m, egc_error *err)
{
    const float *parameters = f->clients.parameters;
    uint64_t round = f->trainer.step;
    uint64_t behind = m->has_view ? round - m->round : EGC_DOWNLINK_NOTHING;
    egc_status status =
        egc_downlink_write(&f->downlink, parameters, behind, &m->download, &m->unpack_s, err);
    if (!status)
        status = egc_clients_train(&f->clients, m->number,
                                   egc_downlink_view(&f->downlink, parameters), err);
    m->round = round;
    m->busy = m->has_view = true;
    m->arrived = false;
    return status;
}

static egc_status begin_round(federation *f, egc_error *err)
{
    sample(f);
    f->began_s = egc_world_now(f->trainer.world);
    f->n_arrived = 0;
    f->open = true;
    f->trainer.tally.participants = f->trainer.learnt.n_workers = f->n_sampled;
    egc_status status = egc_downlink_advance(&f->downlink, f->clients.parameters, err);
    for (size_t i = 0; i < f->n_sampled && !status; i++)
        status = prepare(f, &f->members[f->sample[i]], err);
    if (status)
        return status;
    double seconds = work(f, server_rank(f), f->downlink.encode_s);
    f->trainer.tally.compress_s += seconds * (double)f->n_sampled; /* all wait for it */
    for (size_t i = 0; i < f->n_sampled; i++) {
        egc_gate_signal(f->members[f->sample[i]].server_begins);
        egc_gate_signal(f->members[f->sample[i]].client_begins);
    }
    return EGC_OK;
}

static void wait_for_uploads(federation *f)
{
    double end = f->began_s + f->params->deadline_s;
    while (f->n_arrived < f->n_wanted) {
        double left = end - egc_world_now(f->trainer.world);
        if (left <= 0 || !egc_gate_wait_for(f->news, left))
            break;
    }
    f->open = false;
}

static egc_status end_round(federation *f, egc_error *err)
{
    size_t n = 0;
    double decode_s;
    for (size_t i = 0; i < f->n_sampled; i++) {
        const member *m = &f->members[f->sample[i]];
        if (m->arrived)
            f->uploads[n++] = (egc_upload){.client = m->number, .messages = m->uploaded};
    }
    egc_status status = egc_clients_apply(&f->clients, f->uploads, n, &decode_s, err);
    if (status)
        return status;
    double seconds = work(f, server_rank(f), decode_s);
    egc_tally *tally = &f->trainer.tally;
    tally->decompress_s += seconds * (double)f->n_sampled; /* all wait for it */
    tally->exposed_comm_s = tally->comm_s;
    return egc_trainer_end_step(&f->trainer, f->clients.parameters, err);
}

static egc_status server_main(void *arg, egc_error *err)
{
    federation *f = arg;
    egc_status status = EGC_OK;
    uint64_t rounds = (uint64_t)f->trainer.config->options.steps;
    while (f->trainer.step < rounds && !status) {
        status = begin_round(f, err);
        if (!status) {
            wait_for_uploads(f);
            status = end_round(f, err);
        }
    }
    egc_report_end(&f->trainer.report); /* those that are late are waited for no more */
    f->over = true;
    for (size_t c = 0; c < f->trainer.n_workers; c++) {
        egc_gate_signal(f->members[c].server_begins);
        egc_gate_signal(f->members[c].client_begins);
    }
    return status;
}

/* ---- life ----------------------------------------------------------------------------------- */

static egc_status member_init(federation *f, size_t number, egc_error *err)
{
    member *m = &f->members[number];
    size_t n_buckets = f->trainer.plan.n_buckets;
    *m = (member){
        .federation = f,
        .number = number,
        .client_begins = egc_gate_new(0),
        .server_begins = egc_gate_new(0),
        .uploaded = egc_calloc(n_buckets, sizeof *m->uploaded),
        .sends = egc_calloc(n_buckets, sizeof *m->sends),
        .receives = egc_calloc(n_buckets, sizeof *m->receives),
    };
    if (!m->client_begins || !m->server_begins || !m->uploaded || !m->sends || !m->receives)
        return egc_fail_memory(err, n_buckets * sizeof *m->uploaded);
    char name[64];
    snprintf(name, sizeof name, "client %zu", number);
    egc_status status = egc_world_spawn(f->trainer.world, (int)number, name, client_main, m, err);
    if (status)
        return status;
    snprintf(name, sizeof name, "server of client %zu", number);
    return egc_world_spawn(f->trainer.world, server_rank(f), name, serve, m, err);
}

static void member_fini(member *m, size_t n_buckets)
{
    for (size_t b = 0; m->uploaded && b < n_buckets; b++)
        egc_buf_fini(&m->uploaded[b]);
    egc_buf_fini(&m->download);
    egc_buf_fini(&m->model);
    egc_free(m->uploaded);
    egc_free(m->sends);
    egc_free(m->receives);
    egc_gate_free(m->client_begins);
    egc_gate_free(m->server_begins);
}

static void federation_fini(federation *f)
{
    for (size_t c = 0; f->members && c < f->trainer.n_workers; c++)
        member_fini(&f->members[c], f->trainer.plan.n_buckets);
    egc_gate_free(f->news);
    egc_free(f->members);
    egc_free(f->sample);
    egc_free(f->idle);
    egc_free(f->uploads);
    egc_downlink_fini(&f->downlink);
    egc_clients_fini(&f->clients);
    egc_trainer_fini(&f->trainer);
}

static egc_status federation_init(federation *f, egc_error *err)
{
    size_t n = f->trainer.n_workers;
    f->members = egc_calloc(n, sizeof *f->members);
    f->sample = egc_calloc(n, sizeof *f->sample);
    f->idle = egc_calloc(n, sizeof *f->idle);
    f->uploads = egc_calloc(n, sizeof *f->uploads);
    f->news = egc_gate_new(0);
    if (!f->members || !f->sample || !f->idle || !f->uploads || !f->news)
        return egc_fail_memory(err, n * sizeof *f->members);
    egc_status status = egc_clients_init(&f->clients, &f->trainer, &f->params->clients, err);
    if (!status)
        status =
            egc_downlink_init(&f->downlink, &f->trainer, f->params->downlink == DOWNLINK_COMPRESSED,
                              f->clients.parameters, err);
    for (size_t c = 0; c < n && !status; c++)
        status = member_init(f, c, err);
    return status
               ? status
               : egc_world_spawn(f->trainer.world, server_rank(f), "server", server_main, f, err);
}

static egc_status run_federated(const egc_training_config *config, const egc_training_sink *sink,
                                egc_training_summary *out, egc_error *err)
{
    federation f = {.params = config->algorithm_params};
    egc_status status = egc_trainer_init(&f.trainer, config, sink, out, err);
    if (!status)
        status = federation_init(&f, err);
    if (!status)
        status = egc_world_run(f.trainer.world, err);
    if (status && f.trainer.world)
        egc_report_end(&f.trainer.report);
    federation_fini(&f);
    return status;
}

/* ---- what can be known before --------------------------------------------------------------- */

static egc_status check_method(const egc_training_config *config, egc_error *err)
{
    const egc_method *method = &config->method;
    const egc_memory_type *memory = egc_memory_types()[method->options.memory];
    const federated *params = config->algorithm_params;
    if (memory->accumulates)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "method: memory = \"%s\" needs a message of every worker at every step, "
                        "which algorithm federated has not",
                        memory->name);
    if (method->options.residual_lr == EGC_RESIDUAL_LR_RESCALE)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "method: residual_lr = \"rescale\" is for gradients; what clients of "
                        "algorithm federated send has its learning rate in it");
    return params->downlink == DOWNLINK_COMPRESSED ? egc_difference_check(method, err) : EGC_OK;
}

static egc_status check(const egc_training_config *config, egc_error *err)
{
    const federated *params = config->algorithm_params;
    const egc_clients_options *clients = &params->clients;
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
        status = egc_trainer_check_streams(config, err);
    if (!status && !clients->local_steps && !config->workload->share)
        status = egc_fail(err, EGC_ERROR_UNSUPPORTED,
                          "algorithm: workload %s does not say how long an epoch is; use "
                          "local_steps",
                          config->workload->name);
    return status ? status : check_method(config, err);
}

static size_t servers(const egc_training_config *config)
{
    (void)config;
    return 1;
}

static const char *const downlinks[] = {"dense", "compressed", NULL};
static const char *const weightings[] = {"examples", "equal", NULL};
static const char *const places[] = {"local", "rounds", NULL};

static const egc_param params[] = {
    {.name = "participation",
     .help = "share of the clients that is sampled in a round, at least one client",
     .kind = EGC_PARAM_REAL,
     .offset = offsetof(federated, participation),
     .def = 1,
     .min = 0,
     .max = 1,
     .flags = EGC_PARAM_OPEN_MIN},
    {.name = "local_epochs",
     .help = "passes of a client over its own examples in a round; 1 when local_steps is not given",
     .kind = EGC_PARAM_INT,
     .offset = offsetof(federated, clients.local_epochs),
     .def = 0,
     .min = 0,
     .max = 1e6},
    {.name = "local_steps",
     .help = "steps of a client in a round, in place of local_epochs",
     .kind = EGC_PARAM_INT,
     .offset = offsetof(federated, clients.local_steps),
     .def = 0,
     .min = 0,
     .max = 1e9},
    {.name = "momentum",
     .help = "where it acts: in a client's steps, from 0 in each round; or from round to round, in "
             "the method's memory or at the server",
     .kind = EGC_PARAM_CHOICE,
     .offset = offsetof(federated, clients.momentum),
     .def = EGC_MOMENTUM_LOCAL,
     .choices = places},
    {.name = "downlink",
     .help = "what the server sends: its model, or what has changed in it, compressed by the "
             "method",
     .kind = EGC_PARAM_CHOICE,
     .offset = offsetof(federated, downlink),
     .def = DOWNLINK_DENSE,
     .choices = downlinks},
    {.name = "server_lr",
     .help = "what the mean of the clients' differences is multiplied by",
     .kind = EGC_PARAM_REAL,
     .offset = offsetof(federated, clients.server_lr),
     .def = 1,
     .min = 0,
     .max = INFINITY,
     .flags = EGC_PARAM_OPEN_MIN | EGC_PARAM_OPEN_MAX},
    {.name = "weighting",
     .help = "weight of a client in the mean: its examples (where the workload does not say them "
             "all are equal), or equal",
     .kind = EGC_PARAM_CHOICE,
     .offset = offsetof(federated, clients.weighting),
     .def = EGC_WEIGHTING_EXAMPLES,
     .choices = weightings},
    {.name = "over_selection",
     .help = "so many times as many clients are sampled, and the first to answer count",
     .kind = EGC_PARAM_REAL,
     .offset = offsetof(federated, over_selection),
     .def = 1,
     .min = 1,
     .max = 1e6},
    {.name = "deadline",
     .help = "time after which a round is over, however many have answered",
     .kind = EGC_PARAM_REAL,
     .quantity = EGC_QUANTITY_TIME,
     .offset = offsetof(federated, deadline_s),
     .def = INFINITY,
     .min = 0,
     .max = INFINITY,
     .flags = EGC_PARAM_OPEN_MIN},
    EGC_PARAM_END,
};

const egc_algorithm_type egc_algorithm_federated = {
    .name = "federated",
    .summary = "a server averages what sampled clients learnt on data of their own: EGC-FL",
    .reference = "McMahan et al. 2017, arXiv 1602.05629; deadline and over-selection: Bonawitz et "
                 "al. 2019, arXiv 1902.01046; the differences compressed: our reading of EGC-FL",
    .params = params,
    .params_size = sizeof(federated),
    .servers = servers,
    .check = check,
    .run = run_federated,
};
