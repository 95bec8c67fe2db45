/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learning logs as files: DIR/.spool/learning/KEY, while points that learn the same are run. A log
 * only saves time. What goes wrong with one, a full disk included, costs no point: a log that
 * cannot be written is given up, and one that cannot be read is not used. */
#ifndef EGC_EXPERIMENT_RUN_TRAINING_CACHE_H
#define EGC_EXPERIMENT_RUN_TRAINING_CACHE_H

#include "base/file/atomic_file.h"
#include "train/sync/training_log.h"

/* How a point comes to what it learns. */
typedef enum egc_training_role {
    EGC_TRAINING_ALONE,
    EGC_TRAINING_LOGGED,   /* trains, and writes the log */
    EGC_TRAINING_REPLAYED, /* replays the log; trains when there is no good one */
} egc_training_role;

/* ---- in the process that runs the points ----------------------------------------------------- */

/* Removes all logs of a spool, and their folder. IO. */
egc_status egc_training_cache_clear(const char *spool, egc_error *err) EGC_MUST_CHECK;

/* Removes the log of a key, complete or not, if there is one. */
void egc_training_cache_remove(const char *spool, const char *key);

bool egc_training_cache_has(const char *spool, const char *key);

/* ---- in a point's child ---------------------------------------------------------------------- */

typedef struct egc_training_cache {
    egc_atomic_file staged;
    size_t len; /* written so far */
    egc_training_log_writer writer;
    egc_mapping bytes;
    egc_training_log_reader reader;
} egc_training_cache;

/* Sets config's log or replay as the role says. file must stay where it is until closed. */
void egc_training_cache_open(egc_training_cache *file, const char *spool, const char *key,
                             egc_training_role role, egc_train_config *config);

/* A log that is complete by now appears under its name; one that is not is gone. */
void egc_training_cache_close(egc_training_cache *file);

#endif
