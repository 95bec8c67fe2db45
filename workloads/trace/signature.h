/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the first bytes of a file before HDF5 may read it. */
#ifndef EGC_WORKLOADS_TRACE_SIGNATURE_H
#define EGC_WORKLOADS_TRACE_SIGNATURE_H

#include <stdbool.h>

#include "base/error.h"

/* IO when the file cannot be read; FORMAT when it is not an HDF5 file with checksums, or shorter
 * than its header states. *recording is true when its last writer did not close it. */
egc_status egc_trace_signature_check(const char *path, bool *recording,
                                     egc_error *err) EGC_MUST_CHECK;

#endif
