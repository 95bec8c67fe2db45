/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a function in a child process: for work that may abort, or that needs a SimGrid of its own.
 */
#ifndef EGC_NET_TOPOLOGY_ISOLATED_H
#define EGC_NET_TOPOLOGY_ISOLATED_H

#include "base/buf.h"
#include "base/error.h"

/* Appends its result to *out. Runs in the child. */
typedef egc_status (*egc_isolated_main)(void *arg, egc_buf *out, egc_error *err);

/* Runs main in a forked child and appends the child's result to *out. Returns main's error; FORMAT,
 * with the first line that the child printed, when it exited or died instead of returning; IO when
 * no child can be started; MEMORY. */
egc_status egc_isolated_run(egc_isolated_main main, void *arg, egc_buf *out,
                            egc_error *err) EGC_MUST_CHECK;

#endif
