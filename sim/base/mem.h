/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one door to the heap, so that tests can make the k-th allocation fail, or one that is too
 * large. */
#ifndef EGC_BASE_MEM_H
#define EGC_BASE_MEM_H

#include <stddef.h>

/* Zeroed memory for count items of size bytes, aligned to 64 (a cache line, and the widest
 * vector). NULL when out of memory or when count * size overflows; never NULL for count 0. Free
 * with egc_free. */
void *egc_calloc(size_t count, size_t size);

/* A copy of text on the heap, or NULL. */
char *egc_strdup(const char *text);

/* Accepts NULL. */
void egc_free(void *memory);

/* For tests: the allocation that follows `countdown` successful ones fails, once. Negative turns
 * the hook off. Returns what was left of the countdown before: negative when it has struck. */
long egc_mem_fail_after(long countdown);

/* For tests: from now on allocations fail that would bring the bytes allocated since this call,
 * freed or not, above `bytes`. SIZE_MAX turns the hook off. */
void egc_mem_fail_beyond(size_t bytes);

#endif
