/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommands of `egc-sim trace`. */
#ifndef EGC_CLI_TRACE_TRACE_H
#define EGC_CLI_TRACE_TRACE_H

#include "cli/options.h"

extern const egc_command egc_info_command, egc_record_command, egc_fit_command;

#endif
