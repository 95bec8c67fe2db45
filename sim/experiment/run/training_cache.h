/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training logs as files DIR/.spool/learning/KEY, kept while points with the same training key run.
 * A log only saves time: if it cannot be written, as on a full disk, it is given up; if it cannot
 * be read, the point trains. No point fails because of its log. */
#ifndef EGC_EXPERIMENT_RUN_TRAINING_CACHE_H
#define EGC_EXPERIMENT_RUN_TRAINING_CACHE_H

#include "base/file/atomic_file.h"
#include "base/file/mapping.h"
#include "train/sync/engine/training_log.h"

/* How a point obtains its training. */
typedef enum egc_training_role {
    EGC_TRAINING_ALONE,    /* trains */
    EGC_TRAINING_LOGGED,   /* trains and writes the log */
    EGC_TRAINING_REPLAYED, /* replays the log; trains if there is no valid one */
} egc_training_role;

/* ---- in the parent process ------------------------------------------------------------------- */

/* Removes all logs of a spool and their folder. IO. */
egc_status egc_training_cache_clear(const char *spool, egc_error *err) EGC_MUST_CHECK;

/* Removes the log of a key, complete or not. One that does not exist is no error. */
void egc_training_cache_remove(const char *spool, const char *key);

/* True if the log of a key is complete. */
bool egc_training_cache_has(const char *spool, const char *key);

/* ---- in the child of a point ----------------------------------------------------------------- */

typedef struct egc_training_cache {
    egc_atomic_file staged;
    size_t len; /* bytes written */
    egc_training_log_writer writer;
    egc_mapping bytes;
    egc_training_log_reader reader;
} egc_training_cache;

/* Sets config->log or config->replay as the role says. file must not move until it is closed. */
void egc_training_cache_open(egc_training_cache *file, const char *spool, const char *key,
                             egc_training_role role, egc_train_config *config);

/* Publishes the log if it is complete, and removes it otherwise. */
void egc_training_cache_close(egc_training_cache *file);

#endif
