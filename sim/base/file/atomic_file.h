/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and folders of a results folder: written whole or not at all. */
#ifndef EGC_BASE_FILE_ATOMIC_FILE_H
#define EGC_BASE_FILE_ATOMIC_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

typedef struct egc_path {
    char text[PATH_MAX];
} egc_path;

/* What lies below a results folder has names of at most this length. */
#define EGC_PATH_TAIL 128

/* What the name of a file or folder ends with until it is complete. */
#define EGC_STAGED_SUFFIX ".draft"

/* A formatted path. Whoever takes a folder from a user checks its length first (RANGE). */
egc_path egc_path_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
egc_status egc_path_check(const char *folder, egc_error *err) EGC_MUST_CHECK;

bool egc_path_exists(const char *path);

/* Makes a folder and those above it. It may be there already. IO. */
egc_status egc_path_make_folder(const char *path, egc_error *err) EGC_MUST_CHECK;

/* Removes a folder and the files in it; one that is not there counts as removed. IO. */
egc_status egc_path_remove_folder(const char *path, egc_error *err) EGC_MUST_CHECK;

/* Removes the folders whose name says that they are drafts from a folder. IO. */
egc_status egc_path_remove_staged(const char *path, egc_error *err) EGC_MUST_CHECK;

/* Removes the folders inside a folder, then the folder. IO. */
egc_status egc_path_remove_tree(const char *path, egc_error *err) EGC_MUST_CHECK;

/* ---- a file under construction: PATH appears, complete, at the commit ------------------------
 * A link stays one: what it points to is replaced. What is there and is no regular file, as a pipe
 * or a device, is written to at once. */

typedef struct egc_atomic_file {
    egc_path path;   /* as it was given */
    egc_path target; /* what is replaced */
    egc_path staged; /* where it is written until then */
    bool is_at_once; /* draft is target: a pipe, a device, or where the output goes already */
    int output;      /* the descriptor of that; otherwise -1 */
    int fd;
} egc_atomic_file; /* fd < 0: not open */

/* All that follow fail with IO. */

/* Finds out whether a file can be written there. A draft that an earlier run left is gone then. */
egc_status egc_atomic_file_try(const char *path, egc_error *err) EGC_MUST_CHECK;

/* draft need not be initialised; failed, it can be discarded. Of a pipe it waits for the reader. */
egc_status egc_atomic_file_open(egc_atomic_file *staged, const char *path,
                                egc_error *err) EGC_MUST_CHECK;
egc_status egc_atomic_file_write(egc_atomic_file *staged, const void *data, size_t len,
                                 egc_error *err) EGC_MUST_CHECK;

/* Appends the bytes of the file at path from offset on. A file that is not there is empty. */
egc_status egc_atomic_file_copy(egc_atomic_file *staged, const char *path, off_t offset,
                                egc_error *err) EGC_MUST_CHECK;

/* Brings the bytes to the disk; what can fail for want of space has then succeeded. */
egc_status egc_atomic_file_sync(egc_atomic_file *staged, egc_error *err) EGC_MUST_CHECK;

/* The draft takes the place of what was there. Closed, whatever is returned. */
egc_status egc_atomic_file_commit(egc_atomic_file *staged, egc_error *err) EGC_MUST_CHECK;

/* Leaves nothing of a draft that was not committed. */
void egc_atomic_file_discard(egc_atomic_file *staged);

/* How writing ends: synced and committed when it went well so far, otherwise discarded. `status`,
 * or what failed then. */
egc_status egc_atomic_file_end(egc_atomic_file *staged, egc_status status,
                               egc_error *err) EGC_MUST_CHECK;

/* All of it: a file is there whole or as it was. */
egc_status egc_atomic_file_save(const char *path, const void *data, size_t len,
                                egc_error *err) EGC_MUST_CHECK;

/* ---- a file's bytes, mapped ------------------------------------------------------------------ */

typedef struct egc_mapping {
    const char *data;
    size_t len;
} egc_mapping;

/* A file that is not there is empty. IO. */
egc_status egc_mapping_open(const char *path, egc_mapping *out, egc_error *err) EGC_MUST_CHECK;
void egc_mapping_close(egc_mapping *bytes);

/* ---- one writer at a time -------------------------------------------------------------------- */

/* Locks DIR for this process and its children; *out is a file descriptor for egc_lock_release.
 * UNSUPPORTED, naming the process, when another has it. */
egc_status egc_lock_take(const char *dir, int *out, egc_error *err) EGC_MUST_CHECK;
void egc_lock_release(const char *dir, int lock);

#endif
