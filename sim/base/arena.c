/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of blocks, each twice as large as the one before; a reset merges them into one, so that a
 * loop allocates nothing after its first pass. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { ALIGNMENT = 64, FIRST_BLOCK = 4096 };

typedef struct egc_arena_block {
    struct egc_arena_block *next;
    size_t capacity;
    size_t used;
    _Alignas(ALIGNMENT) unsigned char bytes[];
} block;

static block *block_new(size_t capacity, block *next)
{
    if (capacity > SIZE_MAX - sizeof(block))
        return NULL;
    block *b = egc_calloc(1, sizeof *b + capacity);
    if (b)
        *b = (block){.next = next, .capacity = capacity};
    return b;
}

void *egc_arena_alloc(egc_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4)
        return NULL;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    block *top = arena->blocks;
    if (!top || top->capacity - top->used < size) {
        size_t capacity = top ? 2 * top->capacity : FIRST_BLOCK;
        top = block_new(capacity > size ? capacity : size, top);
        if (!top)
            return NULL;
        arena->blocks = top;
    }
    void *memory = top->bytes + top->used;
    top->used += size;
    return memset(memory, 0, size);
}

char *egc_arena_strdup(egc_arena *arena, const char *text)
{
    return egc_arena_printf(arena, "%s", text);
}

char *egc_arena_printf(egc_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : egc_arena_alloc(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void egc_arena_reset(egc_arena *arena)
{
    size_t total = 0;
    for (const block *b = arena->blocks; b; b = b->next)
        total += b->capacity;
    if (arena->blocks && arena->blocks->next) {
        egc_arena_fini(arena);
        arena->blocks = block_new(total, NULL);
    } else if (arena->blocks) {
        arena->blocks->used = 0;
    }
}

void egc_arena_fini(egc_arena *arena)
{
    while (arena->blocks) {
        block *next = arena->blocks->next;
        egc_free(arena->blocks);
        arena->blocks = next;
    }
}
