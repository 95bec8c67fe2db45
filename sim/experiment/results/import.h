/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns published rows back into point records: the start of `--resume` and of `merge`. */
#ifndef EGC_EXPERIMENT_RESULTS_IMPORT_H
#define EGC_EXPERIMENT_RESULTS_IMPORT_H

#include "experiment/results/results.h"

/* Makes records of the plan's points from the CSV files in `from`, which may be the folder of
 * results itself as long as nothing has been published there. Points that are neither ok nor
 * diverged are left out unless failed_too. FORMAT when the columns are not the plan's; IO, MEMORY.
 */
egc_status egc_results_import(egc_results *results, const char *from, bool failed_too,
                              egc_error *err) EGC_MUST_CHECK;

/* Takes the points that an earlier run into the folder of results finished: those with a record in
 * its spool, then those in its CSV files. UNSUPPORTED, leaving the folder as it was, when it holds
 * finished runs that the plan does not have, because publishing would lose them; FORMAT, IO,
 * MEMORY. */
egc_status egc_results_import_resumed(egc_results *results, egc_error *err) EGC_MUST_CHECK;

#endif
