/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "step.h"

#include "base/mem.h"
#include "support/test.h"
#include "workloads/profiles/profile.h"

static void sleep_until(const worker *self, double when_s)
{
    double now_s = egc_world_now(self->world);
    if (when_s > now_s)
        egc_actor_sleep(self->world, when_s - now_s);
}

/* The communication stream of a rank; the compute stream never waits for it within a step. */
static egc_status take_step(worker *self, egc_error *err)
{
    const step *s = self->arg;
    egc_exchange_scratch scratch = {0};
    egc_status status = EGC_OK;
    double ready_s = s->plan.forward_s;
    for (size_t b = 0; b < s->plan.n_buckets && !s->overlap; b++)
        ready_s += s->plan.buckets[b].backward_s;
    for (size_t b = 0; b < s->plan.n_buckets && !status; b++) {
        ready_s += s->overlap ? s->plan.buckets[b].backward_s : 0;
        sleep_until(self, ready_s);
        status = egc_exchange_allreduce(s->exchange[b], self->transport, EGC_ELEMENT_FP32, NULL,
                                        s->plan.buckets[b].count, &scratch, err);
    }
    egc_exchange_scratch_fini(&scratch);
    return status;
}

double step_time(const step *s, int workers, double bandwidth_Bps, double latency_s,
                 const test_cluster *cluster)
{
    assert_true(s->plan.n_buckets <= STEP_BUCKETS);
    net_trial trial = trial_of(workers, bandwidth_Bps, latency_s, take_step, s);
    trial.config.size_only = true;
    trial.config.cluster = cluster ? cluster->type : NULL;
    trial.params = cluster ? cluster->params : NULL;
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    return got.sim_time_s;
}

void step_open_model(egc_workload *model, int64_t batch)
{
    const egc_profile *profile;
    egc_error err = {0};
    *model = (egc_workload){0};
    assert_ok(egc_profile_find("resnet50", &profile, &err), err);
    assert_ok(egc_profile_layers(profile, batch, &model->layers, &model->n_layers, &err), err);
    for (size_t i = 0; i < model->n_layers; i++)
        model->n_params += model->layers[i].count;
}

void step_close_model(egc_workload *model)
{
    egc_free(model->layers);
}

double step_speed_flops(const egc_workload *model, double compute_s)
{
    double flops = 0;
    for (size_t i = 0; i < model->n_layers; i++)
        flops += model->layers[i].forward_flops + model->layers[i].backward_flops;
    return flops / compute_s;
}
