/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is freed all at once: specifications, and the scratch space of compressors. */
#ifndef EGC_BASE_ARENA_H
#define EGC_BASE_ARENA_H

#include <stddef.h>

#include "base/error.h"

typedef struct egc_arena {
    struct egc_arena_block *blocks; /* the newest first */
} egc_arena;                        /* zeroed is empty and ready; the owner calls egc_arena_fini */

/* Returns `size` zeroed bytes aligned to 64, which live until the next egc_arena_reset or
 * egc_arena_fini. NULL: no memory. */
void *egc_arena_alloc(egc_arena *arena, size_t size);

/* Returns a copy of text. NULL: no memory. */
char *egc_arena_strdup(egc_arena *arena, const char *text);

/* Returns formatted text. NULL: no memory. */
char *egc_arena_printf(egc_arena *arena, const char *format, ...) EGC_PRINTF(2, 3);

/* Ends the life of every allocation and keeps the memory for the next ones. */
void egc_arena_reset(egc_arena *arena);

/* Frees all memory and leaves the arena empty and ready. */
void egc_arena_fini(egc_arena *arena);

#endif
