/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash of a trace file that does not read gigabytes. */
#ifndef EGC_WORKLOADS_TRACE_HASH_H
#define EGC_WORKLOADS_TRACE_HASH_H

#include <stdint.h>

/* Hash of all bytes of a file of at most 4 MiB; of a larger one, of its length and of 4 MiB in
 * pieces spread over it, most of which differ in another recording. 0 when it cannot be read. */
uint64_t egc_trace_hash(const char *path);

#endif
