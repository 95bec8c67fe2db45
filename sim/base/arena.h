/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is freed all at once: syntax trees, and the scratch space of compressors. */
#ifndef EGC_BASE_ARENA_H
#define EGC_BASE_ARENA_H

#include <stddef.h>

typedef struct egc_arena {
    struct egc_arena_block *blocks; /* the newest first */
} egc_arena;

/* A zeroed egc_arena is ready for use. */

/* `size` zeroed bytes aligned to 64, or NULL when out of memory. They live until the next
 * egc_arena_reset or egc_arena_fini. */
void *egc_arena_alloc(egc_arena *arena, size_t size);

/* A copy of text, or NULL. */
char *egc_arena_strdup(egc_arena *arena, const char *text);

/* A formatted string, or NULL. */
char *egc_arena_printf(egc_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Forgets every allocation but keeps the memory for reuse: after the first round of a loop the
 * arena allocates nothing more. */
void egc_arena_reset(egc_arena *arena);

/* Gives all memory back. */
void egc_arena_fini(egc_arena *arena);

#endif
