/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins the results folders of an experiment's shards. */
#ifndef EGC_EXPERIMENT_RESULTS_MERGE_H
#define EGC_EXPERIMENT_RESULTS_MERGE_H

#include "base/error.h"

/* Joins n_dirs folders into out_dir, whose CSV files are then the same bytes as those of one whole
 * run. RANGE for no folder; UNSUPPORTED when they are not shards of one experiment, or points are
 * missing; IO, FORMAT, MEMORY. */
egc_status egc_results_merge(const char *const *dirs, size_t n_dirs, const char *out_dir,
                             egc_error *err) EGC_MUST_CHECK;

#endif
