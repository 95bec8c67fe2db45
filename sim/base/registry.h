/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of named things: compressors, workloads, clusters, exchanges, file formats.
 *
 * A registry is an array of pointers to const structs whose first member is `const char *name`. It
 * ends with NULL and is passed as `const void *const *`, so that one search and one error message
 * serve all of them. */
#ifndef EGC_BASE_REGISTRY_H
#define EGC_BASE_REGISTRY_H

#include "base/error.h"

/* Sets *out, a pointer to such a struct, to the item called name. NAME if there is none: `unknown
 * KIND "NAME"; valid: a, b, c`. */
egc_status egc_registry_find(const char *kind, const char *name, const void *const *items,
                             void *out, egc_error *err) EGC_MUST_CHECK;

/* Fails as egc_registry_find does: for a name that was looked up in another way. */
egc_status egc_registry_fail_unknown(egc_error *err, const char *kind, const char *name,
                                     const void *const *items);

#endif
