/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table at the end of a run. */
#ifndef EGC_CLI_SUMMARY_H
#define EGC_CLI_SUMMARY_H

#include "base/error.h"

/* Prints to stdout, from dir's runs.csv: for each setting its methods with compression ratio,
 * accuracy or perplexity (mean and range over seeds), simulated step time and speedup. Notes the
 * runs that failed. IO, FORMAT, MEMORY. */
egc_status egc_summary_print(const char *dir, egc_error *err) EGC_MUST_CHECK;

#endif
