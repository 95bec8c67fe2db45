/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The identity of a configuration: a text with every parameter, defaults included, and hashes of
 * it. A run_id names a run; a training key names what it learns, which runs that differ only in
 * time have in common. */
#ifndef EGC_EXPERIMENT_SPEC_IDENTITY_H
#define EGC_EXPERIMENT_SPEC_IDENTITY_H

#include "experiment/spec/experiment.h"
#include "train/sync/training_log.h"

/* A part of a configuration that has a name, parameters, or both. */
typedef struct egc_identity_part {
    const char *path;       /* "cluster" */
    const char *name;       /* "star"; "" for parameters only, NULL if the part is absent */
    const char *prefix;     /* of its parameters in --set and in manifest.json: "cluster." */
    const egc_param *table; /* of its parameters; NULL if it has none */
    const void *params;
    bool is_time; /* changes nothing but the duration of steps */
} egc_identity_part;

enum { EGC_IDENTITY_PARTS = 11 };

/* Fills out, borrowing from config. exchange is the name under which exchanges are listed. */
void egc_identity_parts(const egc_train_config *config, const char *exchange,
                        egc_identity_part out[EGC_IDENTITY_PARTS]);

/* Appends the parameters of all parts, with the exchange as it was asked for. MEMORY. */
egc_status egc_identity_format(const egc_train_config *config, egc_buf *out,
                               egc_error *err) EGC_MUST_CHECK;

/* The same without the parts and options that change time only (is_time and
 * egc_train_config_forget_time), and with "auto" resolved to the exchanges of all rounds: equal for
 * configurations that learn the same. UNSUPPORTED when the method cannot use the exchange; MEMORY.
 */
egc_status egc_identity_format_training(const egc_train_config *config, egc_buf *out,
                                        egc_error *err) EGC_MUST_CHECK;

/* The 16 hex digits that name a configuration. MEMORY. */
egc_status egc_identity_run_id(const egc_train_config *config, char run_id[EGC_RUN_ID_LENGTH],
                               egc_error *err) EGC_MUST_CHECK;

/* The 16 hex digits that name what a configuration learns: those of egc_identity_format_training
 * where time has no influence on learning, otherwise the run_id. MEMORY, UNSUPPORTED. */
egc_status egc_identity_training_key(const egc_train_config *config,
                                     char key[EGC_TRAINING_LOG_KEY_LENGTH],
                                     egc_error *err) EGC_MUST_CHECK;

#endif
