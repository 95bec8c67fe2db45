/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which trace a file holds, without reading gigabytes. */
#ifndef EGC_WORKLOADS_TRACE_HASH_H
#define EGC_WORKLOADS_TRACE_HASH_H

#include <stdint.h>

/* Of all bytes of a trace of at most 4 MiB; of a larger one, of its length and of pieces from all
 * over it, 4 MiB together: another recording differs in most of them. 0 when it cannot be read. */
uint64_t egc_trace_hash(const char *path);

#endif
