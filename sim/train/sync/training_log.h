/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run learnt, for runs that learn the same: the layers of its model, then for every step
 * what egc_step_stats holds and the lengths of the messages. No gradient and no parameter is in it.
 *
 * A log is written and read by one program on one machine, so it has that program's own layout. It
 * ends with a hash of all that comes before: one that does not is incomplete or damaged, and
 * refused. */
#ifndef EGC_TRAIN_SYNC_TRAINING_LOG_H
#define EGC_TRAIN_SYNC_TRAINING_LOG_H

#include "train/sync/engine.h"

/* What names a configuration but for what is about time: experiment/spec/resolve.h makes it. */
#define EGC_TRAINING_LOG_KEY_LENGTH 17

/* ---- writing --------------------------------------------------------------------------------- */

/* Set key, append and arg; the rest is zeroed. */
typedef struct egc_training_log_writer {
    const char *key;

    /* Takes the next bytes. When it says false the log is given up, which fails nothing else. */
    bool (*append)(void *arg, const void *data, size_t len);
    void *arg;

    uint64_t hash; /* of the bytes so far */
    egc_buf piece; /* the step that is being written */
    bool given_up;
    bool is_complete;
} egc_training_log_writer;

/* Writes what comes before the first step. */
void egc_training_log_write_model(egc_training_log_writer *writer, const egc_engine *engine);

/* Writes a step, in their order, after its end; with the last the log is complete. */
void egc_training_log_write_step(egc_training_log_writer *writer, egc_engine *engine,
                                 uint64_t step);

void egc_training_log_writer_fini(egc_training_log_writer *writer);

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct egc_training_log_reader {
    egc_reader rest; /* what has not been read yet, up to the hash */
} egc_training_log_reader;

/* Opens the log in data[0..len), which must outlive the reader. FORMAT when it is not whole, or was
 * written under another key. */
egc_status egc_training_log_reader_open(egc_training_log_reader *reader, const char *key,
                                        const void *data, size_t len,
                                        egc_error *err) EGC_MUST_CHECK;

/* Fills the model, n_params and the layers, which live in arena. FORMAT, MEMORY. */
egc_status egc_training_log_read_model(egc_training_log_reader *reader, egc_workload *workload,
                                       egc_arena *arena, egc_error *err) EGC_MUST_CHECK;

/* Reads a step, in their order: fills its egc_step_stats, and makes its messages as long as they
 * were, with nothing in them where the learning is hollow, otherwise with zeros. FORMAT, MEMORY. */
egc_status egc_training_log_read_step(egc_training_log_reader *reader, egc_engine *engine,
                                      uint64_t step, egc_error *err) EGC_MUST_CHECK;

#endif
