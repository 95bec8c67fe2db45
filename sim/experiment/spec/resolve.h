/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns the table of a point into the typed configuration of one training run. */
#ifndef EGC_EXPERIMENT_SPEC_RESOLVE_H
#define EGC_EXPERIMENT_SPEC_RESOLVE_H

#include "experiment/spec/experiment.h"

/* A named device; the numbers and their sources are in scripts/devices.lua. */
typedef struct egc_device_profile {
    const char *name;
    const char *summary;
    egc_device device;
    const char *const *sources; /* one for each row of egc_device_params, in that order */
} egc_device_profile;

/* An array that ends with a row whose name is NULL. */
typedef const egc_device_profile *egc_device_profiles;

/* Finds the profile called name. NAME, listing the valid ones. */
egc_status egc_resolve_device(egc_device_profiles profiles, const char *name,
                              const egc_device_profile **out, egc_error *err) EGC_MUST_CHECK;

/* A cluster with its parameters. */
typedef struct egc_cluster_choice {
    const egc_cluster_type *type;
    void *params; /* prepared by egc_prepare_cluster */
    egc_device device;
} egc_cluster_choice;

/* Resolves a table that egc.cluster.NAME made. The parameters live in arena. NAME, RANGE, IO,
 * FORMAT, MEMORY, as the cluster's own checks. */
egc_status egc_resolve_cluster(egc_arena *arena, egc_device_profiles devices, const egc_spec *table,
                               egc_cluster_choice *out, egc_error *err) EGC_MUST_CHECK;

/* Fills config from point, a tree without EACH and ZIP; parameter structs live in arena. Errors say
 * which value is wrong and the line where it was written; NAME, RANGE, IO, FORMAT, MEMORY. Whether
 * the parts fit together is checked by egc_train_run_check. */
egc_status egc_resolve(egc_arena *arena, egc_device_profiles devices, const egc_spec *point,
                       egc_train_config *config, egc_error *err) EGC_MUST_CHECK;

/* Reads the rows about the method from the cost table of a config with cost = "table". To be called
 * before the point is checked or identified, and only for points that will run. Errors of
 * egc_cost_file_read; RANGE when no table is named. */
egc_status egc_resolve_cost(egc_arena *arena, const egc_spec *point, egc_train_config *config,
                            egc_error *err) EGC_MUST_CHECK;

#endif
