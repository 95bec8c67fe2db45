/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/spec/constructor.h"

#include <stdio.h>
#include <string.h>

#include "train/algorithm.h"

const char *const egc_experiment_keys[] = {
    "name", "workload", "cluster", "method", "algorithm", "exchange", "where", NULL,
};

const char *egc_maker_name(const char *maker)
{
    const char *dot = maker ? strchr(maker, '.') : NULL;
    return dot ? dot + 1 : maker ? maker : "";
}

bool egc_maker_builds(const char *maker, const char *part)
{
    size_t length = strlen(part);
    return maker && strncmp(maker, part, length) == 0 && maker[length] == '.';
}

void egc_maker_call(const char *maker, char *out, size_t room)
{
    if (!maker)
        snprintf(out, room, "a table");
    else
        snprintf(out, room, "egc.%s",
                 egc_maker_builds(maker, "method") || egc_maker_builds(maker, "algorithm")
                     ? egc_maker_name(maker)
                     : maker);
}

static bool method_accepts(const char *name, const char *key)
{
    egc_method method;
    if (egc_method_init(&method, name, NULL))
        return false;
    return egc_params_find(egc_method_option_params, key) ||
           egc_params_find(method.compressor->params, key);
}

static bool experiment_accepts(const char *key)
{
    for (const char *const *known = egc_experiment_keys; *known; known++)
        if (strcmp(*known, key) == 0)
            return true;
    return egc_params_find(egc_training_params, key);
}

bool egc_maker_accepts(const char *maker, const char *key)
{
    const char *name = egc_maker_name(maker);
    const egc_workload_type *workload;
    const egc_cluster_type *cluster;
    const egc_algorithm_type *algorithm;
    if (!maker)
        return true;
    if (egc_maker_builds(maker, "method"))
        return method_accepts(name, key);
    if (egc_maker_builds(maker, "workload"))
        return !egc_workload_find(name, &workload, NULL) && egc_params_find(workload->params, key);
    if (egc_maker_builds(maker, "cluster"))
        return !egc_cluster_find(name, &cluster, NULL) && egc_params_find(cluster->params, key);
    if (egc_maker_builds(maker, "algorithm"))
        return !egc_algorithm_find(name, &algorithm, NULL) &&
               egc_params_find(algorithm->params, key);
    return experiment_accepts(key);
}
