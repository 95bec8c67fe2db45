/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the files of data sets are: in the folder a workload names; else in the user's folder of
 * data sets, if there is one, or in the system's. */
#ifndef EGC_WORKLOADS_TRAIN_DATASETS_LOCATE_H
#define EGC_WORKLOADS_TRAIN_DATASETS_LOCATE_H

#include <limits.h>

#include "base/error.h"

/* Where Debian's packages put data sets. */
#define EGC_DATA_SYSTEM "/usr/share/datasets"

/* The user's folder of data sets, in which each has a folder of its own; NULL or "": none, which is
 * so at first. Borrowed for good. Set it before the first workload is opened: it is the program's
 * to say, not a workload's. */
void egc_locate_set_root(const char *root);

typedef struct egc_location {
    char path[PATH_MAX];
    char tried[PATH_MAX]; /* was looked for first and is not there; "" if nothing was */
} egc_location;

/* The folder of a data set: `chosen` unless it is "", else the first folder called name that there
 * is. RANGE when a path is too long. */
egc_status egc_locate_find(const char *chosen, const char *name, egc_location *out,
                           egc_error *err) EGC_MUST_CHECK;

/* After reading a data set from folder: an IO error also says where else it is not. Returns
 * status. */
egc_status egc_locate_explain(const egc_location *folder, egc_status status, egc_error *err);

/* FOLDER/FILE into out, of PATH_MAX bytes. RANGE when it is too long. */
egc_status egc_locate_path(const char *folder, const char *file, char *out,
                           egc_error *err) EGC_MUST_CHECK;

/* IO from errno: that file is not in folder, and what to do about it, or why it cannot be opened.
 */
egc_status egc_locate_fail_open(const char *folder, const char *file, const char *remedy,
                                egc_error *err);

#endif
