/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learning logs as files: DIR/.spool/learning/KEY, while points that learn the same are run. A log
 * only saves time. What goes wrong with one, a full disk included, costs no point: a log that
 * cannot be written is given up, and one that cannot be read is not used. */
#ifndef EGC_EXPERIMENT_RUN_TRAINING_CACHE_H
#define EGC_EXPERIMENT_RUN_TRAINING_CACHE_H

#include "base/atomic_file.h"
#include "train/sync/training_log.h"

/* How a point comes to what it learns. */
typedef enum egc_learning_role {
    EGC_LEARNS_ALONE,
    EGC_LEARNS_FIRST,  /* trains, and writes the log */
    EGC_LEARNS_BY_LOG, /* replays the log; trains when there is no good one */
} egc_learning_role;

/* ---- in the process that runs the points ----------------------------------------------------- */

/* Removes all logs of a spool, and their folder. IO. */
egc_status egc_learning_files_remove(const char *spool, egc_error *err) EGC_MUST_CHECK;

/* Removes the log of a key, complete or not, if there is one. */
void egc_learning_file_remove(const char *spool, const char *key);

bool egc_learning_file_exists(const char *spool, const char *key);

/* ---- in a point's child ---------------------------------------------------------------------- */

typedef struct egc_learning_file {
    egc_draft draft;
    size_t len; /* written so far */
    egc_learning_writer writer;
    egc_bytes bytes;
    egc_learning_reader reader;
} egc_learning_file;

/* Sets config's log or replay as the role says. file must stay where it is until closed. */
void egc_learning_file_open(egc_learning_file *file, const char *spool, const char *key,
                            egc_learning_role role, egc_training_config *config);

/* A log that is complete by now appears under its name; one that is not is gone. */
void egc_learning_file_close(egc_learning_file *file);

#endif
