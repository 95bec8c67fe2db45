/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A constructor is one word with a dot; the registries say which keys its tables may have. */
#include "experiment/spec/constructor.h"

#include <stdio.h>
#include <string.h>

#include "train/algorithm.h"

const char *const egc_constructor_keys[] = {
    "name", "workload", "cluster", "method", "algorithm", "exchange", "where", NULL,
};

const char *egc_constructor_name(const char *constructor)
{
    const char *dot = constructor ? strchr(constructor, '.') : NULL;
    return dot ? dot + 1 : constructor ? constructor : "";
}

const char *egc_constructor_field(const char *name)
{
    return strcmp(name, "local") == 0 ? "local_sgd" : name;
}

bool egc_constructor_builds(const char *constructor, const char *part)
{
    size_t length = strlen(part);
    return constructor && strncmp(constructor, part, length) == 0 && constructor[length] == '.';
}

void egc_constructor_call(const char *constructor, char *out, size_t room)
{
    if (!constructor)
        snprintf(out, room, "a table");
    else
        snprintf(out, room, "egc.%s",
                 egc_constructor_builds(constructor, "method") ||
                         egc_constructor_builds(constructor, "algorithm")
                     ? egc_constructor_field(egc_constructor_name(constructor))
                     : constructor);
}

static bool method_accepts(const char *name, const char *key)
{
    egc_method method;
    if (egc_method_init(&method, name, NULL))
        return false;
    return egc_param_find(egc_method_option_params, key) ||
           egc_param_find(method.compressor->params, key);
}

static bool experiment_accepts(const char *key)
{
    for (const char *const *known = egc_constructor_keys; *known; known++)
        if (strcmp(*known, key) == 0)
            return true;
    return egc_param_find(egc_train_config_params, key) ||
           egc_param_renamed(egc_train_config_params, key);
}

bool egc_constructor_accepts(const char *constructor, const char *key)
{
    const char *name = egc_constructor_name(constructor);
    const egc_workload_type *workload;
    const egc_cluster_type *cluster;
    const egc_algorithm_type *algorithm;
    if (!constructor)
        return true;
    if (egc_constructor_builds(constructor, "method"))
        return method_accepts(name, key);
    if (egc_constructor_builds(constructor, "workload"))
        return !egc_workload_find(name, &workload, NULL) && egc_param_find(workload->params, key);
    if (egc_constructor_builds(constructor, "cluster"))
        return !egc_cluster_find(name, &cluster, NULL) && egc_param_find(cluster->params, key);
    if (egc_constructor_builds(constructor, "algorithm"))
        return !egc_algorithm_find(name, &algorithm, NULL) &&
               egc_param_find(algorithm->params, key);
    return experiment_accepts(key);
}
