/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening the workload train as an experiment would. */
#ifndef EGC_TEST_TRAIN_SUPPORT_H
#define EGC_TEST_TRAIN_SUPPORT_H

#include "base/mem.h"
#include "support/test.h"
#include "workloads/workload.h"

/* settings is "key=value;key=value". */
static inline egc_status train_open(const char *settings, const egc_workload_request *request,
                                    egc_workload **out, egc_error *err)
{
    const egc_workload_type *type;
    assert_ok(egc_workload_find("train", &type, err), *err);
    void *params = egc_calloc(1, type->params_size);
    char *copy = egc_strdup(settings);
    assert_true(params && copy);
    egc_param_init(type->params, params);
    egc_status status = EGC_OK;
    char *rest = NULL;
    for (char *key = strtok_r(copy, ";", &rest); key && !status; key = strtok_r(NULL, ";", &rest)) {
        char *equals = strchr(key, '=');
        assert_non_null(equals);
        *equals = 0;
        const egc_param *param = egc_param_find(type->params, key);
        assert_non_null(param);
        const egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = equals + 1};
        status = egc_param_set(param, params, &value, err);
    }
    if (!status)
        status = egc_workload_new(type, params, request, out, err);
    egc_free(copy);
    egc_free(params);
    return status;
}

#endif
