/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `egc-sim trace`: its subcommands are in cli/trace. */
#include "cli/trace/trace.h"

#include <limits.h>

static const egc_command *const subcommands[] = {
    &egc_info_command,
    &egc_record_command,
    &egc_fit_command,
    NULL,
};

const egc_command egc_cmd_trace = {
    .name = "trace",
    .brief = "record gradients, show a recording, fit distributions to it",
    .arguments = "info|record|fit ...",
    .summary = "Traces are recorded gradients: `trace record` makes one, `trace info` shows its "
               "content, `trace fit` fits\ndistributions to its layers; each has its own --help",
    .example = "egc-sim trace record --out cnn.h5 --steps 200 && egc-sim trace info cnn.h5",
    .least = 1,
    .most = INT_MAX,
    .request_size = sizeof(egc_texts),
    .subcommands = subcommands,
};
