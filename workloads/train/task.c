/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common part of the tasks: two networks with the same parameters, one built for training and one
 * for evaluation, and the passes over a batch. */
#include "workloads/train/task.h"

#include "base/mem.h"

egc_status egc_task_new(const egc_task_type *type, const egc_task_config *config, egc_task **out,
                        egc_error *err)
{
    egc_task *task = egc_calloc(1, type->size);
    if (!task)
        return egc_fail_memory(err, type->size);
    task->type = type;
    egc_status status = type->init(task, config, err);
    if (status)
        egc_task_free(task);
    else
        *out = task;
    return status;
}

void egc_task_free(egc_task *task)
{
    if (!task)
        return;
    task->type->fini(task);
    egc_network_free(task->training);
    egc_network_free(task->evaluation);
    egc_free(task);
}

egc_status egc_task_count(const char *parameter, size_t limit, size_t available, size_t *out,
                          egc_error *err)
{
    *out = limit == EGC_EXAMPLES_ALL ? available : limit;
    if (*out <= available)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_RANGE, "%s must be at most %zu, which the data set has, got %zu",
                    parameter, available, limit);
}

egc_status egc_task_build(egc_task *task, egc_network_config network, size_t evaluation_batch,
                          egc_error *err)
{
    network.training = true;
    egc_status status = egc_network_new(&network, &task->training, err);
    network.batch = evaluation_batch;
    network.training = false;
    return status ? status : egc_network_new(&network, &task->evaluation, err);
}

egc_status egc_task_gradient(egc_task *task, const float *parameters, float *gradient, double *loss,
                             egc_error *err)
{
    egc_network *network = task->training;
    egc_network_outcome outcome;
    egc_status status = egc_network_forward(network, parameters, network->batch, &outcome, err);
    if (!status)
        status = egc_network_backward(network, gradient, err);
    if (!status)
        *loss = outcome.loss / (double)network->batch;
    return status;
}
