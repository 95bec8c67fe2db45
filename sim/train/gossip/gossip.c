/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gossip: workers with parameters of their own average them with their neighbours on a graph.
 *
 *     worker: gradient, local step, compress, send to all neighbours at once,
 *             receive and decode their messages of this step, average, next step
 *
 * There is no barrier: a worker continues when its neighbours' messages of the step have arrived,
 * so that workers far from a slow one may be steps ahead. Messages leave while the next gradient is
 * computed. Training does not depend on that (model.h). Evaluated are the mean parameters of all
 * workers after the same step. */
#include <stdio.h>

#include "train/algorithm.h"
#include "train/core/delta.h"
#include "train/gossip/model.h"

typedef struct gossip {
    int graph; /* egc_gossip_graph_kind */
    double gamma;
} gossip;

typedef struct worker {
    struct group *group;
    size_t rank;
    egc_transport *transport;
    egc_stream compute, communication;
    egc_gossip_graph_neighbours neighbours;
    egc_request **sends, **receives; /* per neighbour and bucket */
    egc_buf *received;
    egc_gossip_model_step *sending; /* step whose messages may still be under way; NULL: none */
} worker;

typedef struct group {
    egc_trainer trainer;
    egc_gossip_model peers;
    worker *workers;
} group;

/* ---- messages ------------------------------------------------------------------------------- */

static size_t n_messages(const worker *w)
{
    return w->neighbours.degree * w->group->trainer.partition.n_buckets;
}

static egc_status post_receives(worker *w, egc_error *err)
{
    size_t n_buckets = w->group->trainer.partition.n_buckets;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n_messages(w) && !status; i++)
        status = egc_transport_irecv(w->transport, (int)w->neighbours.from[i / n_buckets],
                                     &w->received[i], &w->receives[i], err);
    return status;
}

static egc_status send(worker *w, egc_gossip_model_step *step, egc_error *err)
{
    const egc_gossip_model *peers = &w->group->peers;
    size_t n_buckets = w->group->trainer.partition.n_buckets;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n_messages(w) && !status; i++) {
        const egc_buf *message = egc_gossip_model_message(peers, step, w->rank, i % n_buckets);
        status = egc_transport_isend(w->transport, (int)w->neighbours.to[i / n_buckets],
                                     message->data, message->len, &w->sends[i], err);
    }
    w->sending = step;
    return status;
}

static egc_status finish_sending(worker *w, egc_error *err)
{
    if (!w->sending)
        return EGC_OK;
    double start = egc_world_now(w->group->trainer.world);
    egc_status status = egc_transport_wait_all(w->transport, w->sends, n_messages(w), err);
    if (!status)
        status = egc_stream_log_wait(&w->communication, start, w->sending->step, err);
    egc_gossip_model_release(&w->group->peers, w->sending);
    w->sending = NULL;
    return status;
}

/* ---- a step --------------------------------------------------------------------------------- */

/* Occupies the worker's device, and adds up for how long that was. */
static egc_status work(const worker *w, const char *name, uint64_t step, double seconds,
                       double *total, egc_error *err)
{
    const egc_timeline_event event = {.name = name, .step = step};
    return egc_stream_work_for(&w->compute, seconds, &event, total, err);
}

static egc_status compute(const worker *w, uint64_t step, double *total, egc_error *err)
{
    const egc_partition *partition = &w->group->trainer.partition;
    egc_span when;
    const egc_timeline_event events[] = {{.name = "forward", .step = step},
                                         {.name = "backward", .step = step}};
    egc_status status =
        egc_stream_work_both(&w->compute, partition->forward_s + partition->backward_s,
                             partition->forward_s, events, &when, err);
    *total = when.end_s - when.start_s;
    return status;
}

/* Device time of decoding the neighbours' messages. A worker knows its own without decoding. */
static double decode_s(const worker *w, const egc_gossip_model_step *step)
{
    double seconds = 0;
    for (size_t i = 0; i < w->neighbours.degree; i++)
        seconds += step->decode_s[w->neighbours.from[i]];
    return seconds;
}

/* Logs the exchange with all neighbours, from start_s to now. */
static egc_status tell_exchange(const worker *w, const egc_gossip_model_step *step, double start_s,
                                egc_error *err)
{
    const group *g = w->group;
    egc_timeline_event event = {.name = "exchange",
                                .step = step->step,
                                .peers = w->neighbours.to,
                                .n_peers = w->neighbours.degree};
    for (size_t b = 0; b < g->trainer.partition.n_buckets; b++)
        event.bytes += (double)egc_gossip_model_message(&g->peers, step, w->rank, b)->len;
    return egc_stream_log_event(&w->communication, start_s, &event, err);
}

static egc_status exchange(worker *w, egc_gossip_model_step *step, egc_error *err)
{
    egc_world *world = w->group->trainer.world;
    double start = egc_world_now(world), recv_bytes = w->transport->recv_bytes;
    egc_status status = send(w, step, err);
    if (!status)
        status = egc_transport_wait_all(w->transport, w->receives, n_messages(w), err);
    step->times.comm_s += egc_world_now(world) - start;
    step->times.exposed_comm_s += egc_world_now(world) - start;
    step->times.recv_bytes += w->transport->recv_bytes - recv_bytes;
    return status ? status : tell_exchange(w, step, start, err);
}

static egc_status take_step(worker *w, uint64_t number, egc_error *err)
{
    group *g = w->group;
    egc_gossip_model_step *step;
    double start = egc_world_now(g->trainer.world), computed_s = 0;
    egc_actor_begin_step(g->trainer.world, (int)w->rank, number);
    egc_status status = post_receives(w, err);
    if (!status)
        status = compute(w, number, &computed_s, err);
    if (!status)
        status = egc_gossip_model_begin(&g->peers, number, &step, err);
    if (status)
        return status;
    step->times.compute_s += computed_s;
    status = work(w, "compress", number, step->encode_s[w->rank], &step->times.compress_s, err);
    if (!status)
        status = finish_sending(w, err);
    if (!status)
        status = exchange(w, step, err);
    if (!status)
        status = work(w, "decompress", number, decode_s(w, step), &step->times.decompress_s, err);
    if (status)
        return status;
    step->times.step_s += egc_world_now(g->trainer.world) - start;
    return egc_gossip_model_finish(&g->peers, step, err);
}

static egc_status worker_main(void *arg, egc_error *err)
{
    worker *w = arg;
    egc_status status = EGC_OK;
    uint64_t steps = (uint64_t)w->group->trainer.config->options.steps;
    for (uint64_t step = 0; step < steps && !status; step++)
        status = take_step(w, step, err);
    return status ? status : finish_sending(w, err);
}

/* ---- life ----------------------------------------------------------------------------------- */

/* n zeroed objects that live as long as the run; NULL when out of memory. */
static void *allocate(group *g, size_t n, size_t size)
{
    return egc_arena_alloc(&g->trainer.arena, n * size);
}

static egc_status worker_init(group *g, size_t rank, egc_gossip_graph_kind graph, egc_error *err)
{
    worker *w = &g->workers[rank];
    *w = (worker){
        .group = g,
        .rank = rank,
        .transport = egc_world_transport(g->trainer.world, (int)rank, 0),
        .compute = egc_trainer_stream(&g->trainer, (int)rank, EGC_STREAM_COMPUTE),
        .communication = egc_trainer_stream(&g->trainer, (int)rank, EGC_STREAM_COMMUNICATION),
        .neighbours = egc_gossip_graph_of(graph, g->trainer.n_workers, rank),
    };
    size_t n = n_messages(w) + 1; /* alone it has none */
    w->sends = allocate(g, n, sizeof *w->sends);
    w->receives = allocate(g, n, sizeof *w->receives);
    w->received = allocate(g, n, sizeof *w->received);
    if (!w->sends || !w->receives || !w->received)
        return egc_fail_memory(err, n * sizeof *w->received);
    char name[64];
    snprintf(name, sizeof name, "worker %zu", rank);
    return egc_actor_spawn(g->trainer.world, (int)rank, name, worker_main, w, err);
}

static void worker_fini(worker *w)
{
    for (size_t i = 0; w->received && i < n_messages(w); i++)
        egc_buf_fini(&w->received[i]);
}

static void group_fini(group *g)
{
    for (size_t rank = 0; g->workers && rank < g->trainer.n_workers; rank++)
        worker_fini(&g->workers[rank]);
    egc_gossip_model_fini(&g->peers);
    egc_trainer_fini(&g->trainer);
}

static egc_status group_init(group *g, const gossip *params, egc_error *err)
{
    size_t n = g->trainer.n_workers;
    egc_gossip_graph_kind graph = (egc_gossip_graph_kind)params->graph;
    g->workers = allocate(g, n, sizeof *g->workers);
    if (!g->workers)
        return egc_fail_memory(err, n * sizeof *g->workers);
    egc_status status = egc_gossip_model_init(&g->peers, &g->trainer, graph, params->gamma, err);
    for (size_t rank = 0; rank < n && !status; rank++)
        status = worker_init(g, rank, graph, err);
    return status;
}

static egc_status run_gossip(const egc_train_config *config, const egc_train_sink *sink,
                             egc_train_summary *out, egc_error *err)
{
    group g = {0};
    egc_status status = egc_trainer_init(&g.trainer, config, sink, out, err);
    if (!status)
        status = group_init(&g, config->algorithm_params, err);
    if (!status)
        status = egc_trainer_simulate(&g.trainer, err);
    if (g.trainer.world)
        egc_reporter_end(&g.trainer.reporter);
    group_fini(&g);
    return status;
}

/* ---- checks before a run ----------------------------------------------------------------------
 */

/* The difference to the neighbours' copy takes the place of the method's error feedback: none,
 * residual and momentum are read as that. Options that would have no effect are refused. */
static egc_status check_memory(const egc_method *method, egc_error *err)
{
    static const char *const idle[] = {"nesterov", "low_pass", "residual_decay", "residual_lr"};
    const egc_error_feedback_type *error_feedback =
        egc_error_feedback_types()[method->options.error_feedback];
    if (error_feedback->has_residual && !error_feedback->in_place)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "method: algorithm gossip keeps what is not sent in the difference to what "
                        "neighbours know; memory must be none, residual or momentum, got %s",
                        error_feedback->name);
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (egc_param_changed(egc_param_find(egc_method_option_params, idle[i]), &method->options))
            return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                            "method: algorithm gossip keeps what is not sent in the difference to "
                            "what neighbours know, where %s has nothing to act on; leave it out",
                            idle[i]);
    return EGC_OK;
}

static egc_status check(const egc_train_config *config, egc_error *err)
{
    const gossip *params = config->algorithm_params;
    egc_status status = egc_trainer_check(config, err);
    if (!status)
        status = egc_trainer_check_alone(config, err);
    if (!status)
        status = egc_trainer_check_streams(config, err);
    if (!status)
        status = egc_gossip_graph_check((egc_gossip_graph_kind)params->graph,
                                        (size_t)config->options.workers, err);
    if (!status)
        status = check_memory(&config->method, err);
    if (!status)
        status = egc_trainer_check_clip(config, err);
    return status ? status : egc_delta_check(&config->method, err);
}

static const egc_param params[] = {
    EGC_PARAM(gossip, graph, CHOICE, "graph",
              "neighbours of a worker; exponential: the workers 1, 2, 4, ... ahead",
              .def = EGC_GOSSIP_GRAPH_RING, .choices = egc_gossip_graph_names),
    EGC_PARAM(gossip, gamma, REAL, "gamma",
              "step towards the neighbours' copies; 1 if nothing is lost, smaller the less is sent",
              .def = 1, .min = 0, .max = 1, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM_END,
};

const egc_algorithm_type egc_algorithm_gossip = {
    .name = "gossip",
    .summary = "neighbours on a graph average what they know of each other: CHOCO-SGD",
    .reference =
        "Koloskova, Stich, Jaggi 2019, arXiv 1902.00340; with nothing lost D-PSGD: Lian et "
        "al. 2017, arXiv 1705.09056",
    .params = params,
    .params_size = sizeof(gossip),
    .check = check,
    .run = run_gossip,
};
