/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of a training, for runs with the same one: the layers of its model, then for every step
 * its egc_step_stats and the lengths of its messages. It has no gradient and no parameter.
 *
 * A log is written and read by one program on one machine, so it has that program's own layout. It
 * ends with a hash of everything before: a log without it is incomplete or damaged, and refused. */
#ifndef EGC_TRAIN_SYNC_ENGINE_TRAINING_LOG_H
#define EGC_TRAIN_SYNC_ENGINE_TRAINING_LOG_H

#include "train/sync/engine/engine.h"

/* Room for the key of a log: the hash of a configuration without the options about time
 * (experiment/spec/identity.h). */
#define EGC_TRAINING_LOG_KEY_LENGTH 17

/* ---- writing --------------------------------------------------------------------------------- */

/* Set key, append and arg; the rest is zeroed. */
typedef struct egc_training_log_writer {
    const char *key;

    /* Appends the next bytes. On false the log is given up; the run continues. */
    bool (*append)(void *arg, const void *data, size_t len);
    void *arg;

    uint64_t hash; /* hash of the bytes so far */
    egc_buf piece; /* the step that is being written */
    bool given_up;
    bool is_complete;
} egc_training_log_writer;

/* Writes the part before the first step. */
void egc_training_log_write_model(egc_training_log_writer *writer, const egc_engine *engine);

/* Writes a step, in their order, after its end; with the last the log is complete. */
void egc_training_log_write_step(egc_training_log_writer *writer, egc_engine *engine,
                                 uint64_t step);

void egc_training_log_writer_fini(egc_training_log_writer *writer);

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct egc_training_log_reader {
    egc_reader rest; /* unread bytes, up to the hash */
} egc_training_log_reader;

/* Opens the log in data[0..len), which must outlive the reader. FORMAT if it is not whole, or was
 * written under another key. */
egc_status egc_training_log_reader_open(egc_training_log_reader *reader, const char *key,
                                        const void *data, size_t len,
                                        egc_error *err) EGC_MUST_CHECK;

/* Fills the model, n_params and the layers, which live in arena. FORMAT, MEMORY. */
egc_status egc_training_log_read_model(egc_training_log_reader *reader, egc_workload *workload,
                                       egc_arena *arena, egc_error *err) EGC_MUST_CHECK;

/* Reads the next step: fills its egc_step_stats, and gives its messages their lengths; their
 * content is nothing in size_only engines, otherwise zeros. FORMAT, MEMORY. */
egc_status egc_training_log_read_step(egc_training_log_reader *reader, egc_engine *engine,
                                      uint64_t step, egc_error *err) EGC_MUST_CHECK;

#endif
