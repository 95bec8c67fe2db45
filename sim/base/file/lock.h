/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lock of a results folder: one egc-sim writes there at a time. */
#ifndef EGC_BASE_FILE_LOCK_H
#define EGC_BASE_FILE_LOCK_H

#include "base/error.h"

/* Locks DIR for this process and the children that it forks from now on. *out is a file descriptor
 * to give to egc_lock_release. UNSUPPORTED, with the other process's id, if DIR is locked; IO. */
egc_status egc_lock_take(const char *dir, int *out, egc_error *err) EGC_MUST_CHECK;

void egc_lock_release(const char *dir, int lock);

#endif
