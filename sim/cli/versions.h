/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The versions of everything that can change a result. */
#ifndef EGC_CLI_VERSIONS_H
#define EGC_CLI_VERSIONS_H

#include "experiment/results/manifest.h"

/* The table of `egc-sim version` and of the manifest. Static; not thread-safe. */
const egc_provenance *egc_versions_get(void);

#endif
