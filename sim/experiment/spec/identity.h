/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The identity of a configuration: a text with every parameter, defaults included, and hashes of
 * it. A run_id names a run; a training key names its training, which is the same for runs that
 * differ only in time. */
#ifndef EGC_EXPERIMENT_SPEC_IDENTITY_H
#define EGC_EXPERIMENT_SPEC_IDENTITY_H

#include "experiment/spec/experiment.h"
#include "train/sync/engine/training_log.h"

/* A part of a configuration that has a name, parameters, or both. */
typedef struct egc_identity_part {
    const char *path;       /* "cluster" */
    const char *name;       /* "star"; "" for parameters only, NULL if the part is absent */
    const char *prefix;     /* prefix of its parameters in --set and in manifest.json: "cluster." */
    const egc_param *table; /* rows of its parameters; NULL if it has none */
    const void *params;
    bool is_time; /* changes nothing but the duration of steps */
} egc_identity_part;

enum { EGC_IDENTITY_PARTS = 11 };

/* Fills out, borrowing from config. exchange is the name under which exchanges are listed. */
void egc_identity_parts(const egc_train_config *config, const char *exchange,
                        egc_identity_part out[EGC_IDENTITY_PARTS]);

/* The 16 hex digits that name a configuration. MEMORY. */
egc_status egc_identity_run_id(const egc_train_config *config, char run_id[EGC_RUN_ID_LENGTH],
                               egc_error *err) EGC_MUST_CHECK;

/* The 16 hex digits that name the training of a configuration. Where time has no influence on
 * learning they do not depend on the parts with is_time, on the options that
 * egc_train_config_forget_time resets, or on "auto" as the name of an exchange; otherwise they are
 * the run_id. UNSUPPORTED when the method cannot use the exchange; MEMORY. */
egc_status egc_identity_training_key(const egc_train_config *config,
                                     char key[EGC_TRAINING_LOG_KEY_LENGTH],
                                     egc_error *err) EGC_MUST_CHECK;

#endif
