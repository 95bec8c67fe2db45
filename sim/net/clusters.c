/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/cluster.h"

#include <string.h>

#define EGC_CLUSTER(name) extern const egc_cluster_type egc_cluster_##name;
#include "net/clusters.def"
#undef EGC_CLUSTER

static const egc_cluster_type *const types[] = {
#define EGC_CLUSTER(name) &egc_cluster_##name,
#include "net/clusters.def"
#undef EGC_CLUSTER
    NULL,
};

const egc_cluster_type *const *egc_cluster_types(void)
{
    return types;
}

egc_status egc_cluster_find(const char *name, const egc_cluster_type **out, egc_error *err)
{
    for (const egc_cluster_type *const *type = types; *type; type++)
        if (strcmp((*type)->name, name) == 0) {
            *out = *type;
            return EGC_OK;
        }
    return egc_fail_unknown(err, "cluster", name, (const void *const *)types);
}
