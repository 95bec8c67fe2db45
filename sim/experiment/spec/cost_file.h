/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of what compressing costs, as files: CSV with, among others, the columns
 *
 *     method      name of a compressor or preset; rows without one are passed over
 *     params      what differs from its defaults, as method_params in runs.csv; * for any
 *     elements    of the vector that is compressed as one
 *     encode_s    seconds to compress it, with the memory's part
 *     decode_s    seconds to decompress one message of it and add it up; of a method of several
 *                 rounds, to take in all that a worker gets in a step
 *
 * What is wrong anywhere in the file is refused, whichever method is asked for. */
#ifndef EGC_EXPERIMENT_SPEC_COST_FILE_H
#define EGC_EXPERIMENT_SPEC_COST_FILE_H

#include "base/arena.h"
#include "compressors/core/method.h"
#include "train/cost/cost_table.h"

/* The columns, ended by NULL. */
extern const char *const egc_cost_file_columns[];

/* What the file at path says of method, in arena: the rows of its very params if there are any,
 * those for any params otherwise. NAME when it has neither; FORMAT, IO, MEMORY. */
egc_status egc_cost_file_read(egc_arena *arena, const char *path, const egc_method *method,
                              const egc_cost_curve **out, egc_error *err) EGC_MUST_CHECK;

#endif
