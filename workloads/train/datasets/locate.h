/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the folders of data sets: the folder that a workload names, else one in the user's folder
 * of data sets (EGC_DATA), else one in the system's. */
#ifndef EGC_WORKLOADS_TRAIN_DATASETS_LOCATE_H
#define EGC_WORKLOADS_TRAIN_DATASETS_LOCATE_H

#include <limits.h>

#include "base/buf.h"

/* The folder of Debian's data set packages. */
#define EGC_DATA_SYSTEM "/usr/share/datasets"

/* Sets the user's folder of data sets, in which each has a folder of its own; NULL or "", the
 * initial value: none. Borrowed forever. To be called by the program before the first workload is
 * opened. */
void egc_locate_set_root(const char *root);

typedef struct egc_location {
    char path[PATH_MAX];
    char tried[PATH_MAX]; /* first candidate, which does not exist; "" if there was none */
} egc_location;

/* The folder of a data set: `chosen` unless it is "", else the first existing folder called name.
 * RANGE when a path is too long. */
egc_status egc_locate_find(const char *chosen, const char *name, egc_location *out,
                           egc_error *err) EGC_MUST_CHECK;

/* Adds the candidate that did not exist to an IO error of reading from folder. Returns status. */
egc_status egc_locate_explain(const egc_location *folder, egc_status status, egc_error *err);

/* FOLDER/FILE into out, of PATH_MAX bytes. RANGE when it is too long. */
egc_status egc_locate_path(const char *folder, const char *file, char *out,
                           egc_error *err) EGC_MUST_CHECK;

/* IO from errno: the file is missing in folder, with the remedy, or cannot be opened. */
egc_status egc_locate_fail_open(const char *folder, const char *file, const char *remedy,
                                egc_error *err);

/* Appends the bytes of FOLDER/FILE to out. IO, with the remedy when it is missing; RANGE when the
 * path is too long; MEMORY. */
egc_status egc_locate_read(const char *folder, const char *file, const char *remedy, egc_buf *out,
                           egc_error *err) EGC_MUST_CHECK;

#endif
