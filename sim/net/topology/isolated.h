/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that may abort, or that needs a world of its own, in a child process. */
#ifndef EGC_NET_TOPOLOGY_ISOLATED_H
#define EGC_NET_TOPOLOGY_ISOLATED_H

#include "base/buf.h"
#include "base/error.h"

typedef egc_status (*egc_isolated_main)(void *arg, egc_buf *out, egc_error *err);

/* Runs main in a forked child and appends to *out what it left there; its failure is the caller's.
 * FORMAT, with the first line the child printed, when it exited or died instead of returning. */
egc_status egc_isolated_run(egc_isolated_main main, void *arg, egc_buf *out,
                            egc_error *err) EGC_MUST_CHECK;

#endif
