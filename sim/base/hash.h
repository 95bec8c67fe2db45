/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A 64-bit hash that names things: run ids, cached trainings, input files. Not cryptographic. */
#ifndef EGC_BASE_HASH_H
#define EGC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define EGC_HASH_START 0xcbf29ce484222325ull

/* FNV-1a (Fowler, Noll, Vo 1991) over len bytes, continued from `hash`; start with EGC_HASH_START.
 */
uint64_t egc_hash(uint64_t hash, const void *data, size_t len);

#endif
