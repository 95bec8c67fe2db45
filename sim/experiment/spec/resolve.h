/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a decided table of an experiment to the typed configuration of one training run. */
#ifndef EGC_EXPERIMENT_SPEC_RESOLVE_H
#define EGC_EXPERIMENT_SPEC_RESOLVE_H

#include "experiment/spec/experiment.h"
#include "train/sync/training_log.h"

/* A named device. The numbers and their sources come from scripts/devices.lua. */
typedef struct egc_device_profile {
    const char *name;
    const char *summary;
    egc_device device;
    const char *const *sources; /* one for each row of egc_device_params, in that order */
} egc_device_profile;

/* Ends with a row whose name is NULL. */
typedef const egc_device_profile *egc_device_profiles;

/* The profile called name. NAME, listing the valid ones. */
egc_status egc_resolve_device(egc_device_profiles profiles, const char *name,
                              const egc_device_profile **out, egc_error *err) EGC_MUST_CHECK;

/* What a table that egc.cluster.NAME made stands for. */
typedef struct egc_cluster_choice {
    const egc_cluster_type *type;
    void *params; /* ready for use */
    egc_device device;
} egc_cluster_choice;

/* The parameters come from arena. */
egc_status egc_resolve_cluster(egc_arena *arena, egc_device_profiles devices, const egc_spec *table,
                               egc_cluster_choice *out, egc_error *err) EGC_MUST_CHECK;

/* Fills config from point, whose EACH and ZIP are decided; its parameter structs come from arena.
 * Says what is wrong with a value and where it was written, but not whether the parts fit
 * together: that is egc_train_run_check. */
egc_status egc_resolve(egc_arena *arena, egc_device_profiles devices, const egc_spec *point,
                       egc_train_config *config, egc_error *err) EGC_MUST_CHECK;

/* Reads the table that a config with cost = "table" names, as far as it is about the method. To be
 * done once the point is known to be run, and before it is checked or identified. Errors of
 * egc_cost_file_read; RANGE when no table is named. */
egc_status egc_resolve_cost(egc_arena *arena, const egc_spec *point, egc_train_config *config,
                            egc_error *err) EGC_MUST_CHECK;

/* Appends every parameter of every part, defaults included, and the id of the table of costs: what
 * a run_id is the hash of. */
egc_status egc_identity_format(const egc_train_config *config, egc_buf *out,
                               egc_error *err) EGC_MUST_CHECK;

/* The same without what is about time alone: the cluster, the device, and the options that
 * egc_train_config_forget_time names; the exchanges of all rounds with "auto" resolved.
 * Configurations for which it is equal learn the same. UNSUPPORTED when the method cannot use the
 * exchange. */
egc_status egc_identity_format_training(const egc_train_config *config, egc_buf *out,
                                        egc_error *err) EGC_MUST_CHECK;

/* The 16 hex digits that name a configuration. */
egc_status egc_identity_run_id(const egc_train_config *config, char run_id[EGC_RUN_ID_LENGTH],
                               egc_error *err) EGC_MUST_CHECK;

/* The 16 hex digits that name what it learns. */
egc_status egc_identity_training_key(const egc_train_config *config,
                                     char key[EGC_TRAINING_LOG_KEY_LENGTH],
                                     egc_error *err) EGC_MUST_CHECK;

#endif
