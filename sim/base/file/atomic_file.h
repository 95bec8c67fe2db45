/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are written whole or not at all.
 *
 * Bytes go to a staged file beside PATH, which takes PATH's place when it is committed. If PATH is
 * a symbolic link, the file it leads to is replaced and the link stays. A pipe, a device, or the
 * file that the program's own output goes to cannot be replaced: it is written directly. */
#ifndef EGC_BASE_FILE_ATOMIC_FILE_H
#define EGC_BASE_FILE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/file/path.h"

typedef struct egc_atomic_file {
    egc_path path;   /* as given, for messages */
    egc_path target; /* the file to replace */
    egc_path staged; /* the file that is written */
    bool is_direct;  /* nothing is staged: the target itself is written */
    int output;      /* our own descriptor of the target, if output goes there; otherwise -1 */
    int fd;          /* -1: not open */
} egc_atomic_file;

/* All that follow fail with IO. */

/* Finds out whether a file can be written at path, and removes a staged file that an interrupted
 * run left there. */
egc_status egc_atomic_file_try(const char *path, egc_error *err) EGC_MUST_CHECK;

/* Opens a staged file. *file need not be initialised; it may be discarded after a failure. Opening
 * a pipe waits for its reader. */
egc_status egc_atomic_file_open(egc_atomic_file *file, const char *path,
                                egc_error *err) EGC_MUST_CHECK;

egc_status egc_atomic_file_write(egc_atomic_file *file, const void *data, size_t len,
                                 egc_error *err) EGC_MUST_CHECK;

/* Appends the bytes of the file at path from offset on. A file that does not exist is empty. */
egc_status egc_atomic_file_copy(egc_atomic_file *file, const char *path, off_t offset,
                                egc_error *err) EGC_MUST_CHECK;

/* Brings the bytes to the disk: the commit cannot fail for want of space after this. */
egc_status egc_atomic_file_sync(egc_atomic_file *file, egc_error *err) EGC_MUST_CHECK;

/* Replaces the target by the staged file. Closes the file, also on failure. */
egc_status egc_atomic_file_commit(egc_atomic_file *file, egc_error *err) EGC_MUST_CHECK;

/* Closes and removes a staged file. Does nothing after a commit. */
void egc_atomic_file_discard(egc_atomic_file *file);

/* Syncs and commits if status is EGC_OK; discards otherwise. Returns status, or the failure. */
egc_status egc_atomic_file_end(egc_atomic_file *file, egc_status status,
                               egc_error *err) EGC_MUST_CHECK;

/* Writes a whole file of len bytes. */
egc_status egc_atomic_file_save(const char *path, const void *data, size_t len,
                                egc_error *err) EGC_MUST_CHECK;

#endif
