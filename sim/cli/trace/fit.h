/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `trace fit` prints and writes. */
#ifndef EGC_CLI_TRACE_FIT_H
#define EGC_CLI_TRACE_FIT_H

#include "workloads/trace/fit.h"

/* Which of a layer's fits is taken: EGC_FIT_PICK_DISTANCE, EGC_FIT_PICK_TAIL, or EGC_FIT_PICK_FIRST
 * plus an egc_distribution. */
enum { EGC_FIT_PICK_DISTANCE, EGC_FIT_PICK_TAIL, EGC_FIT_PICK_FIRST };

/* The words for them, NULL-terminated. */
extern const char *const egc_fit_pick_names[];

/* Prints what was fitted, a row for each layer, and a summary by distribution. MEMORY. */
egc_status egc_fit_print(const egc_trace_fit *fit, int pick, egc_error *err) EGC_MUST_CHECK;

/* Prints each layer's distance and error in the tail for every distribution. MEMORY. */
egc_status egc_fit_print_all(const egc_trace_fit *fit, egc_error *err) EGC_MUST_CHECK;

/* Writes a Lua file that returns a table for egc.workload.synthetic. `source` is the trace's path.
 * MEMORY, IO. */
egc_status egc_fit_write(const egc_trace_fit *fit, int pick, const char *source, const char *path,
                         egc_error *err) EGC_MUST_CHECK;

#endif
