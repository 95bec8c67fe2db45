/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a file, mapped into memory for reading. */
#ifndef EGC_BASE_FILE_MAPPING_H
#define EGC_BASE_FILE_MAPPING_H

#include <stddef.h>

#include "base/error.h"

typedef struct egc_mapping {
    const char *data;
    size_t len;
} egc_mapping; /* zeroed is empty */

/* A file that does not exist is empty. The caller closes the mapping, also an empty one. IO. */
egc_status egc_mapping_open(const char *path, egc_mapping *out, egc_error *err) EGC_MUST_CHECK;

void egc_mapping_close(egc_mapping *mapping);

#endif
