/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server's rounds: it samples clients, waits for uploads until enough have arrived or the
 * deadline is over (Bonawitz et al. 2019, arXiv 1902.01046), and updates the model. */
#include "train/federated/federated.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#include "base/rng.h"

enum { SEED_SAMPLE = 0x73616d70 }; /* "samp": the stream of random numbers used here */

/* ---- a round -------------------------------------------------------------------------------- */

static size_t share_of(double share, size_t n)
{
    double count = round(share * (double)n);
    return count < 1 ? 1 : (size_t)count;
}

/* Samples idle clients; waits for one if there is none. */
static void sample(egc_federated *f)
{
    const egc_federated_params *params = f->params;
    size_t n = f->trainer.n_workers, n_idle = 0;
    for (;;) {
        for (size_t c = 0; c < n; c++)
            if (!f->members[c].busy)
                f->idle[n_idle++] = c;
        if (n_idle)
            break;
        egc_semaphore_wait(f->news);
    }
    uint64_t state = egc_rng_derive_seed((uint64_t)f->trainer.config->options.seed, SEED_SAMPLE,
                                         f->trainer.step);
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    size_t wanted = share_of(params->participation, n);
    size_t more = (size_t)ceil(params->over_selection * (double)wanted);
    f->n_sampled = more < n_idle ? more : n_idle;
    f->n_wanted = wanted < f->n_sampled ? wanted : f->n_sampled;
    gsl_ran_choose(&rng, f->sample, f->n_sampled, f->idle, n_idle, sizeof *f->idle);
}

/* Makes a sampled client's download and upload at once. */
static egc_status prepare(egc_federated *f, egc_federated_client *m, egc_error *err)
{
    const float *parameters = f->clients.server.parameters;
    uint64_t step = f->trainer.step;
    uint64_t behind = m->has_view ? step - m->step : EGC_DOWNLINK_NOTHING;
    egc_status status =
        egc_downlink_write(&f->downlink, parameters, behind, &m->download, &m->unpack_s, err);
    if (!status)
        status = egc_federated_model_train(&f->clients, m->number,
                                           egc_downlink_view(&f->downlink, parameters), err);
    m->step = step;
    m->busy = m->has_view = true;
    m->arrived = false;
    return status;
}

static egc_status choose(egc_federated *f, egc_error *err)
{
    double start = egc_world_now(f->trainer.world);
    sample(f);
    f->began_s = egc_world_now(f->trainer.world);
    return egc_stream_log_wait(&f->server, start, f->trainer.step, err);
}

/* Occupies the server while all of the round wait: adds the time to *total once for each. */
static egc_status work_for_all(egc_federated *f, const char *name, double seconds, double *total,
                               egc_error *err)
{
    double took = 0;
    egc_status status =
        egc_federated_client_work(&f->server, name, f->trainer.step, seconds, &took, err);
    *total += took * (double)f->n_sampled;
    return status;
}

static egc_status begin_round(egc_federated *f, egc_error *err)
{
    egc_status status = choose(f, err);
    if (status)
        return status;
    f->n_arrived = 0;
    f->open = true;
    f->trainer.times.participants = f->trainer.stats.n_workers = f->n_sampled;
    status = egc_downlink_advance(&f->downlink, f->clients.server.parameters, err);
    for (size_t i = 0; i < f->n_sampled && !status; i++)
        status = prepare(f, &f->members[f->sample[i]], err);
    if (!status)
        status =
            work_for_all(f, "compress", f->downlink.encode_s, &f->trainer.times.compress_s, err);
    for (size_t i = 0; i < f->n_sampled && !status; i++) {
        egc_semaphore_signal(f->members[f->sample[i]].server_begins);
        egc_semaphore_signal(f->members[f->sample[i]].client_begins);
    }
    return status;
}

static egc_status wait_for_uploads(egc_federated *f, egc_error *err)
{
    double start = egc_world_now(f->trainer.world);
    double end = f->began_s + f->params->deadline_s;
    while (f->n_arrived < f->n_wanted) {
        double left = end - egc_world_now(f->trainer.world);
        if (left <= 0 || !egc_semaphore_wait_for(f->news, left))
            break;
    }
    f->open = false;
    return egc_stream_log_wait(&f->server, start, f->trainer.step, err);
}

static egc_status end_round(egc_federated *f, egc_error *err)
{
    size_t n = 0;
    double decode_s;
    for (size_t i = 0; i < f->n_sampled; i++) {
        const egc_federated_client *m = &f->members[f->sample[i]];
        if (m->arrived)
            f->uploads[n++] = (egc_federated_upload){.client = m->number, .messages = m->uploaded};
    }
    egc_step_times *times = &f->trainer.times;
    const egc_timeline_event update = {.name = "update", .step = f->trainer.step};
    egc_status status = egc_federated_model_apply(&f->clients, f->uploads, n, &decode_s, err);
    if (!status)
        status = work_for_all(f, "decompress", decode_s, &times->decompress_s, err);
    if (!status)
        status = egc_stream_log_event(&f->server, egc_world_now(f->trainer.world), &update, err);
    if (status)
        return status;
    times->exposed_comm_s = times->comm_s;
    return egc_trainer_end_step(&f->trainer, &f->clients.server, err);
}

egc_status egc_federated_server_run(void *arg, egc_error *err)
{
    egc_federated *f = arg;
    egc_status status = EGC_OK;
    uint64_t rounds = (uint64_t)f->trainer.config->options.steps;
    while (f->trainer.step < rounds && !status) {
        status = begin_round(f, err);
        if (!status)
            status = wait_for_uploads(f, err);
        if (!status)
            status = end_round(f, err);
    }
    egc_reporter_end(&f->trainer.reporter);
    if (!status)
        egc_actor_end_all(f->trainer.world); /* late clients are not waited for */
    return status;
}
