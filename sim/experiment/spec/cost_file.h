/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files with the cost of compression: CSV with at least the columns
 *
 *     method      name of a compressor or preset; rows without one are ignored
 *     params      parameters that differ from its defaults, as in method_params of runs.csv; *
 * means any elements    length of the vector that is compressed as one encode_s    seconds to
 * compress it, error feedback included decode_s    seconds to decompress one message of it and add
 * it up; for a method of several rounds, to take in all messages that a worker receives in a step
 *
 * The whole file is checked, whichever method is asked for. `egc-sim bench compressors --csv FILE`
 * writes such a file. */
#ifndef EGC_EXPERIMENT_SPEC_COST_FILE_H
#define EGC_EXPERIMENT_SPEC_COST_FILE_H

#include "base/arena.h"
#include "compressors/core/method.h"
#include "train/cost/cost_table.h"

/* These columns; ends with NULL. */
extern const char *const egc_cost_file_columns[];

/* Reads the curve of method from the file at path into arena: from the rows with its params if
 * there are any, otherwise from the rows with "*". NAME when there are neither; FORMAT, IO, MEMORY.
 */
egc_status egc_cost_file_read(egc_arena *arena, const char *path, const egc_method *method,
                              const egc_cost_curve **out, egc_error *err) EGC_MUST_CHECK;

#endif
