/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

/* AddressSanitizer loses its way between the stacks of coroutines. */
#if defined(__SANITIZE_ADDRESS__)
#define THREAD_CONTEXTS true
#else
#define THREAD_CONTEXTS false
#endif

net_trial trial_of(int workers, double bandwidth_Bps, double latency_s, worker_main main,
                   const void *arg)
{
    return (net_trial){
        .config = {.workers = workers,
                   .channels = 1,
                   .max_sim_time_s = INFINITY,
                   .thread_contexts = THREAD_CONTEXTS,
                   .device = {.flops = 1e12, .efficiency = 1, .memory_Bps = 1e11}},
        .network = {.bandwidth_Bps = bandwidth_Bps,
                    .latency_s = latency_s,
                    .efficiency = 1,
                    .cores = 1,
                    .speed_flops = NAN},
        .hosts = workers,
        .main = main,
        .arg = arg,
    };
}

void *shared_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

const void *star_params(const egc_cluster_type **type, const net_trial *trial, egc_error *err)
{
    static _Alignas(64) unsigned char params[4096];
    if (egc_cluster_find("star", type, err) != EGC_OK || (*type)->params_size > sizeof params)
        return NULL;
    egc_param_init((*type)->params, params);
    memcpy(params, &trial->network, sizeof trial->network);
    const egc_param *hosts = egc_param_find((*type)->params, "hosts");
    *(int64_t *)(void *)(params + hosts->offset) = trial->hosts;
    return params;
}

static egc_status run_worker(void *arg, egc_error *err)
{
    worker *self = arg;
    const net_trial *trial = self->arg;
    worker mine = *self;
    mine.arg = trial->arg;
    return trial->main(&mine, err);
}

static egc_status run_workers(const net_trial *trial, egc_world *world, egc_error *err)
{
    int n = trial->config.workers;
    worker *workers = egc_calloc((size_t)n, sizeof *workers);
    egc_status status = workers ? EGC_OK : egc_fail_memory(err, (size_t)n * sizeof *workers);
    for (int rank = 0; rank < n && !status; rank++) {
        char name[32];
        snprintf(name, sizeof name, "worker-%d", rank);
        workers[rank] = (worker){world, egc_world_transport(world, rank, 0), rank, trial};
        status = egc_actor_spawn(world, rank, name, run_worker, &workers[rank], err);
    }
    if (!status)
        status = egc_world_run(world, err);
    egc_free(workers);
    return status;
}

/* On a star no rank can have sent or received faster than its link. Runs for every trial. */
static egc_status check_rates(const net_trial *trial, egc_world *world, egc_error *err)
{
    double rate_Bps = trial->network.bandwidth_Bps * trial->network.efficiency;
    double at_most = rate_Bps * egc_world_now(world) * (1 + 1e-9) + 1;
    for (int rank = 0; rank < trial->config.workers; rank++) {
        double sent = 0, received = 0;
        for (int channel = 0; channel < trial->config.channels; channel++) {
            const egc_transport *transport = egc_world_transport(world, rank, channel);
            sent += transport->sent_bytes;
            received += transport->recv_bytes;
        }
        if (sent > at_most || received > at_most)
            return egc_fail(err, EGC_ERROR_SIMULATION,
                            "rank %d sent %g and received %g bytes, where its link carries %g",
                            rank, sent, received, at_most);
    }
    return EGC_OK;
}

static void run_trial(const net_trial *given, outcome *out)
{
    egc_world_config config = given->config;
    egc_world *world = NULL;
    if (config.cluster)
        config.cluster_params = given->params ? given->params : &given->network;
    else
        config.cluster_params = star_params(&config.cluster, given, &out->err);
    out->status = egc_world_new(&config, &world, &out->err);
    if (out->status)
        return;
    out->status = run_workers(given, world, &out->err);
    if (!out->status && !given->config.cluster && config.network_model == EGC_NETWORK_CM02)
        out->status = check_rates(given, world, &out->err);
    out->sim_time_s = egc_world_now(world);
    out->network_bytes = egc_world_network_bytes(world);
    egc_world_free(world);
}

outcome simulate(const net_trial *given)
{
    outcome *shared = shared_memory(sizeof *shared), result;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        run_trial(given, shared);
        fflush(NULL);
        _exit(0);
    }
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    result = *shared;
    munmap(shared, sizeof *shared);
    if (how != 0)
        result.status = egc_fail(&result.err, EGC_ERROR_IO, "child ended with wait status %d", how);
    return result;
}
