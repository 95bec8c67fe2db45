/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heap. All memory comes from here, so that tests can make the k-th allocation fail, or a large
 * one.
 */
#ifndef EGC_BASE_MEM_H
#define EGC_BASE_MEM_H

#include <stddef.h>

/* Returns zeroed memory for count items of size bytes, aligned to 64: a cache line, and the widest
 * vector. The caller frees it by egc_free. NULL: no memory, or count * size overflows; never for
 * count 0. */
void *egc_calloc(size_t count, size_t size);

/* Returns a copy of text, which the caller frees. NULL: no memory. */
char *egc_strdup(const char *text);

/* Frees memory; accepts NULL. */
void egc_free(void *memory);

/* For tests: the allocation after `countdown` successful ones fails, once. A negative number turns
 * the hook off. Returns the countdown before this call, which is negative after the failure. */
long egc_mem_fail_after(long countdown);

/* For tests: allocations fail that would bring the bytes allocated since this call, freed or not,
 * above `bytes`. SIZE_MAX turns the hook off. */
void egc_mem_fail_beyond(size_t bytes);

#endif
