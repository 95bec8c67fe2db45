/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table that `egc-sim run` prints at its end. */
#ifndef EGC_CLI_SUMMARY_H
#define EGC_CLI_SUMMARY_H

#include "base/error.h"

/* Reads dir/runs.csv and prints to stdout, for each setting, its methods with compression ratio,
 * accuracy or perplexity (mean and range over seeds), simulated step time and speedup. Notes how
 * many runs failed. IO, FORMAT, MEMORY. */
egc_status egc_summary_print(const char *dir, egc_error *err) EGC_MUST_CHECK;

#endif
