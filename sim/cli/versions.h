/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The versions of everything that can change a result. */
#ifndef EGC_CLI_VERSIONS_H
#define EGC_CLI_VERSIONS_H

#include "experiment/results/manifest.h"

/* For `egc-sim version` and for the manifest. Borrowed. */
const egc_provenance *egc_versions_get(void);

#endif
