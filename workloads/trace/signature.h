/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The look at a file's first bytes that comes before HDF5 may touch it. */
#ifndef EGC_WORKLOADS_TRACE_SIGNATURE_H
#define EGC_WORKLOADS_TRACE_SIGNATURE_H

#include <stdbool.h>

#include "base/error.h"

/* IO when it cannot be read; FORMAT when it is not an HDF5 file with checksums, or shorter than it
 * says. *recording is true when a writer had it open last and never closed it. */
egc_status egc_trace_signature_check(const char *path, bool *recording,
                                     egc_error *err) EGC_MUST_CHECK;

#endif
