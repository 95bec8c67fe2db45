/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/core/replica.h"

#include <math.h>

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
