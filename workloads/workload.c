/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of workloads, made from list.def, and the life of one: the core allocates its private
 * state and frees what open gave it. */
#include "workloads/workload.h"

#include "base/mem.h"
#include "base/registry.h"

#define EGC_WORKLOAD(name) extern const egc_workload_type egc_workload_##name;
#include "workloads/list.def"
#undef EGC_WORKLOAD

static const egc_workload_type *const types[] = {
#define EGC_WORKLOAD(name) &egc_workload_##name,
#include "workloads/list.def"
#undef EGC_WORKLOAD
    NULL,
};

const egc_workload_type *const *egc_workload_types(void)
{
    return types;
}

egc_status egc_workload_find(const char *name, const egc_workload_type **out, egc_error *err)
{
    return egc_registry_find("workload", name, (const void *const *)types, out, err);
}

egc_status egc_workload_check(const egc_workload_type *type, const void *params, egc_error *err)
{
    return type->check ? type->check(params, err) : EGC_OK;
}

egc_status egc_workload_new(const egc_workload_type *type, const void *params,
                            const egc_workload_request *request, egc_workload **out, egc_error *err)
{
    egc_status status = egc_workload_check(type, params, err);
    if (status)
        return status;
    egc_workload *workload = egc_calloc(1, sizeof *workload);
    if (!workload)
        return egc_fail_memory(err, sizeof *workload);
    *workload = (egc_workload){.type = type, .request = *request};
    workload->state = egc_calloc(1, type->state_size);
    status = workload->state ? type->open(workload, params, request, err)
                             : egc_fail_memory(err, type->state_size);
    if (status) {
        egc_free(workload->layers);
        egc_free(workload->state);
        egc_free(workload);
        return status;
    }
    *out = workload;
    return EGC_OK;
}

void egc_workload_free(egc_workload *workload)
{
    if (!workload)
        return;
    workload->type->close(workload);
    egc_free(workload->layers);
    egc_free(workload->state);
    egc_free(workload);
}
