/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths as values, and folders: made, emptied and removed. All folder functions fail with IO. */
#ifndef EGC_BASE_FILE_PATH_H
#define EGC_BASE_FILE_PATH_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

typedef struct egc_path {
    char text[PATH_MAX];
} egc_path;

/* Names of files below a results folder, with their folders, have at most this many bytes. */
#define EGC_PATH_TAIL 128

/* The ending of a file or folder that is not complete yet. */
#define EGC_STAGED_SUFFIX ".draft"

/* A formatted path, cut at PATH_MAX. Check a folder that a user names with egc_path_check first. */
egc_path egc_path_of(const char *format, ...) EGC_PRINTF(1, 2);

/* RANGE if folder is empty, or so long that EGC_PATH_TAIL more bytes do not fit into a path. */
egc_status egc_path_check(const char *folder, egc_error *err) EGC_MUST_CHECK;

bool egc_path_exists(const char *path);

/* Makes a folder and its parents. One that exists is no error. */
egc_status egc_path_make_folder(const char *path, egc_error *err) EGC_MUST_CHECK;

/* Removes a folder and the files in it. One that does not exist is no error. */
egc_status egc_path_remove_folder(const char *path, egc_error *err) EGC_MUST_CHECK;

/* Removes the folders in a folder whose name ends with EGC_STAGED_SUFFIX. */
egc_status egc_path_remove_staged(const char *path, egc_error *err) EGC_MUST_CHECK;

/* Removes a folder that holds only folders of files. One that does not exist is no error. */
egc_status egc_path_remove_tree(const char *path, egc_error *err) EGC_MUST_CHECK;

#endif
