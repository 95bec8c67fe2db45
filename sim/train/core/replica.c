/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradients, updates and evaluation of one copy of the model, all by the workload's SGD
 * (workloads/optimizer.h). */
#include "train/core/replica.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/kernels.h"

egc_status egc_replica_open_workload(const egc_train_config *config, egc_workload **out,
                                     egc_error *err)
{
    const egc_workload_request request = {
        .workers = egc_train_config_sampled_workers(config),
        .steps = (uint64_t)config->options.steps,
        .seed = (uint64_t)config->options.seed,
    };
    egc_status status =
        egc_workload_new(config->workload, config->workload_params, &request, out, err);
    if (!status)
        (*out)->optimizer.lr *= config->method.options.lr_scale;
    return status;
}

double egc_replica_momentum(const egc_method *method, const egc_workload *workload)
{
    if (!isnan(method->options.momentum))
        return method->options.momentum;
    return workload->type->closed_loop ? workload->optimizer.momentum : 0.9;
}

egc_status egc_replica_init(egc_replica *replica, const egc_train_config *config,
                            egc_workload *workload, bool with_velocity, egc_error *err)
{
    size_t n = workload->n_params;
    *replica = (egc_replica){
        .workload = workload,
        .optimizer = workload->optimizer,
        .steps = (uint64_t)config->options.steps,
        .n = n,
    };
    if (!workload->type->closed_loop)
        return EGC_OK;
    replica->parameters = egc_calloc(n, sizeof(float));
    if (with_velocity)
        replica->velocity = egc_calloc(n, sizeof(float));
    if (!replica->parameters || (with_velocity && !replica->velocity))
        return egc_fail_memory(err, n * sizeof(float));
    return workload->type->initialize(workload, replica->parameters, err);
}

void egc_replica_fini(egc_replica *replica)
{
    egc_free(replica->parameters);
    egc_free(replica->velocity);
}

double egc_replica_lr(const egc_replica *replica, uint64_t step)
{
    return egc_optimizer_lr(&replica->optimizer, step, replica->steps);
}

egc_status egc_replica_gradient(const egc_replica *replica, uint64_t step, size_t worker,
                                float *gradient, double *loss, egc_error *err)
{
    egc_workload *workload = replica->workload;
    *loss = NAN;
    egc_status status =
        workload->type->gradient(workload, step, worker, replica->parameters, gradient, loss, err);
    if (!status && replica->parameters && !isfinite(*loss))
        status = egc_fail(err, EGC_ERROR_NONFINITE, "training loss is not finite");
    return status;
}

void egc_replica_update(egc_replica *replica, double lr, float *gradient, size_t first,
                        size_t count)
{
    egc_optimizer_apply(&replica->optimizer, lr, gradient + first,
                        replica->velocity ? replica->velocity + first : NULL,
                        replica->parameters + first, count);
}

egc_status egc_replica_local_steps(egc_replica *replica, uint64_t first_batch, uint64_t steps,
                                   size_t worker, double lr, float *gradient, float *directions,
                                   double *loss, egc_error *err)
{
    double losses = 0;
    if (directions)
        memset(directions, 0, replica->n * sizeof *directions);
    for (uint64_t i = 0; i < steps; i++) {
        egc_status status =
            egc_replica_gradient(replica, first_batch + i, worker, gradient, loss, err);
        if (status)
            return status;
        losses += *loss;
        egc_replica_update(replica, lr, gradient, 0, replica->n);
        if (directions)
            egc_kernels_get()->axpy(1, gradient, directions, replica->n);
    }
    *loss = losses / (double)steps;
    return EGC_OK;
}

egc_status egc_replica_evaluate(const egc_replica *replica, egc_evaluation *out, egc_error *err)
{
    return replica->workload->type->evaluate(replica->workload, replica->parameters, out, err);
}
