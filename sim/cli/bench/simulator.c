/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speed of the simulation itself: each case runs in a child process of its own, since SimGrid
 * cannot be started twice in a process. Exchanges carry tiny vectors, so that SimGrid's time
 * dominates.
 */
#include "cli/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "exchange/exchange.h"
#include "exchange/incast.h"
#include "net/topology/isolated.h"
#include "net/world/world.h"
#include "script/cluster.h"

/* ---- cases ---------------------------------------------------------------------------------- */

typedef struct bench_work bench_work;

/* The work of one worker, and the number of messages, flows or actors of all workers. */
struct bench_work {
    const char *name, *unit;
    egc_status (*main)(const bench_work *work, egc_transport *transport, egc_error *err);
    double (*count)(double workers);
    bool rate;            /* reported as a number per second instead of microseconds each */
    bool size_only;       /* messages without content */
    const char *exchange; /* for all_reduce */
    size_t chunks;        /* for all_reduce: chunks of its vector; 0: one a worker */
    bool windowed;        /* for incast: with the usual window */
};

enum { CHUNK = 16, FLOW_BYTES = 100000 };

/* Each message has CHUNK floats. */
static egc_status all_reduce(const bench_work *work, egc_transport *transport, egc_error *err)
{
    size_t n = CHUNK * (work->chunks ? work->chunks : (size_t)transport->size);
    const egc_exchange_type *type;
    egc_exchange_scratch scratch = {0};
    float *vector = egc_calloc(n, sizeof *vector);
    egc_status status = vector ? egc_exchange_find(work->exchange, &type, err)
                               : egc_fail_memory(err, n * sizeof *vector);
    if (!status)
        status =
            egc_exchange_allreduce(type, transport, EGC_ELEMENT_FP32, vector, n, &scratch, err);
    egc_exchange_scratch_fini(&scratch);
    egc_free(vector);
    return status;
}

static double count_ring(double workers)
{
    return 2 * (workers - 1) * workers;
}

/* For powers of two. */
static double count_doubling(double workers)
{
    return log2(workers) * workers;
}

static egc_status leave(void *arg, int from, const egc_buf *message, egc_error *err)
{
    (void)arg, (void)from, (void)message, (void)err;
    return EGC_OK;
}

/* All send to rank 0 messages of distinct lengths: the prime 7919 divides no number of workers. */
static egc_status incast(const bench_work *work, egc_transport *transport, egc_error *err)
{
    const egc_exchange_network network = {.alpha_s = 100e-6, .beta_s = 1 / 1.25e8};
    const egc_incast_window none = {0, 0}, usual = egc_incast_usual(&network);
    size_t p = (size_t)transport->size;
    size_t bytes = FLOW_BYTES + (size_t)transport->rank * 7919 % p * FLOW_BYTES / p;
    return egc_incast(transport, 0, NULL, bytes, work->windowed ? &usual : &none, leave, NULL, err);
}

static double count_senders(double workers)
{
    return workers - 1;
}

static egc_status nothing(const bench_work *work, egc_transport *transport, egc_error *err)
{
    (void)work, (void)transport, (void)err;
    return EGC_OK;
}

static double count_workers(double workers)
{
    return workers;
}

static const bench_work ring = {"ring", "us/message", all_reduce, count_ring, .exchange = "ring"};
static const bench_work doubling = {
    "doubling", "us/message", all_reduce, count_doubling, .exchange = "recursive-doubling",
    .chunks = 1};
static const bench_work flows = {"incast", "us/flow", incast, count_senders, .size_only = true};
static const bench_work windowed_flows = {"incast-window", "us/flow",         incast,
                                          count_senders,   .size_only = true, .windowed = true};
static const bench_work actors = {"actors", "actors/s", nothing, count_workers, .rate = true};

typedef struct bench_case {
    const bench_work *work;
    int workers;
    const char *cluster, *setting;
} bench_case;

static const bench_case cases[] = {
    {&ring, 64, "star", "hosts=64"},
    {&ring, 128, "star", "hosts=128"},
    {&ring, 256, "star", "hosts=256"},
    {&ring, 512, "star", "hosts=512"},
    {&ring, 1024, "star", "hosts=1024"},
    {&ring, 256, "fat_tree", "children={16}"},
    {&ring, 256, "torus", "dims={16,16}"},
    {&ring, 256, "dragonfly", "groups=32"},
    {&doubling, 1024, "star", "hosts=1024"},
    {&doubling, 4096, "star", "hosts=4096"},
    {&doubling, 4096, "fat_tree", "children={64}"},
    {&flows, 256, "star", "hosts=256"},
    {&flows, 1024, "star", "hosts=1024"},
    {&flows, 4096, "star", "hosts=4096"},
    {&windowed_flows, 256, "star", "hosts=256"},
    {&windowed_flows, 1024, "star", "hosts=1024"},
    {&windowed_flows, 4096, "star", "hosts=4096"},
    {&actors, 1024, "star", "hosts=1024"},
    {&actors, 16384, "star", "hosts=16384"},
};

/* ---- runs ----------------------------------------------------------------------------------- */

typedef struct bench_worker {
    const bench_work *work;
    egc_transport *transport;
} bench_worker;

static egc_status run_worker(void *arg, egc_error *err)
{
    const bench_worker *self = arg;
    return self->work->main(self->work, self->transport, err);
}

static egc_status spawn(const bench_case *given, egc_world *world, bench_worker *workers,
                        egc_error *err)
{
    egc_status status = EGC_OK;
    for (int rank = 0; rank < given->workers && !status; rank++) {
        char name[32];
        snprintf(name, sizeof name, "worker-%d", rank);
        workers[rank] = (bench_worker){given->work, egc_world_transport(world, rank, 0)};
        status = egc_actor_spawn(world, rank, name, run_worker, &workers[rank], err);
    }
    return status;
}

static egc_status make_world(const bench_case *given, egc_arena *arena, egc_world **out,
                             egc_error *err)
{
    egc_cluster_choice choice;
    egc_status status =
        egc_cluster_choose_by_settings(given->cluster, &given->setting, 1, arena, &choice, err);
    const egc_world_config config = {
        .cluster = status ? NULL : choice.type,
        .cluster_params = status ? NULL : choice.params,
        .device = status ? (egc_device){0} : choice.device,
        .workers = given->workers,
        .size_only = given->work->size_only,
        .one_message_each = true,
        .channels = 1,
        .max_sim_time_s = INFINITY,
    };
    return status ? status : egc_world_new(&config, out, err);
}

/* Runs in a child and appends the seconds of the simulation. The start of actors is included only
 * if they do nothing else. */
static egc_status run_case(void *arg, egc_buf *out, egc_error *err)
{
    const bench_case *given = arg;
    egc_arena arena = {0};
    egc_world *world = NULL;
    bench_worker *workers = egc_calloc((size_t)given->workers, sizeof *workers);
    egc_status status =
        workers ? make_world(given, &arena, &world, err) : egc_fail_memory(err, sizeof *workers);
    double before_s = egc_bench_timer_processor_s();
    if (!status)
        status = spawn(given, world, workers, err);
    if (given->work != &actors)
        before_s = egc_bench_timer_processor_s();
    if (!status)
        status = egc_world_run(world, err);
    double took_s = egc_bench_timer_processor_s() - before_s;
    if (!status)
        status = egc_buf_append(out, &took_s, sizeof took_s, err);
    egc_world_free(world);
    egc_arena_fini(&arena);
    egc_free(workers);
    return status;
}

/* The median of three runs, of fewer if one takes more than a second. */
static egc_status time_case(const bench_case *given, double *out_s, egc_error *err)
{
    enum { RUNS = 3 };
    const double long_s = 1;
    egc_buf seconds = {0};
    double times[RUNS];
    size_t n = 0;
    egc_status status = EGC_OK;
    while (n < RUNS && (n == 0 || times[n - 1] < long_s) && !status) {
        egc_buf_clear(&seconds);
        status = egc_isolated_run(run_case, (void *)given, &seconds, err);
        if (!status)
            memcpy(&times[n++], seconds.data, sizeof *times);
    }
    egc_buf_fini(&seconds);
    if (status)
        return status;
    *out_s = egc_bench_timer_median(times, n);
    return EGC_OK;
}

egc_status egc_bench_simulator(const egc_bench_sink *sink, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !status; i++) {
        const bench_case *given = &cases[i];
        const bench_work *work = given->work;
        egc_bench_row row = {"simulator", work->name, "", work->unit, 0};
        double seconds = 0, count = work->count(given->workers);
        snprintf(row.setting, sizeof row.setting, "%d on %s", given->workers, given->cluster);
        if (time_case(given, &seconds, err))
            return egc_error_prefix(err, "%s %s", work->name, row.setting);
        row.value = work->rate ? count / seconds : 1e6 * seconds / count;
        status = sink->row(sink->arg, &row, err);
    }
    return status ? status : egc_bench_steps(sink, err);
}
