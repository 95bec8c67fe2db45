/* SPDX-License-Identifier: GPL-3.0-or-later */
/* posix_memalign, zeroed, behind two hooks that let tests refuse an allocation. */
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };

static long countdown_to_failure = -1;
static size_t bytes_to_failure = SIZE_MAX;

static bool must_fail(size_t bytes)
{
    if (bytes > bytes_to_failure)
        return true;
    if (bytes_to_failure != SIZE_MAX)
        bytes_to_failure -= bytes;
    return countdown_to_failure >= 0 && countdown_to_failure-- == 0;
}

void *egc_calloc(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0)
        bytes = ALIGNMENT;
    if (must_fail(bytes))
        return NULL;
    bool large = bytes >= HUGE_PAGE;
    void *memory;
    if (posix_memalign(&memory, large ? HUGE_PAGE : ALIGNMENT, bytes) != 0)
        return NULL;
    if (large) /* scattered accesses to large vectors would miss the TLB */
        madvise(memory, bytes, MADV_HUGEPAGE);
    return memset(memory, 0, bytes);
}

char *egc_strdup(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = egc_calloc(length, 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

void egc_free(void *memory)
{
    free(memory);
}

long egc_mem_fail_after(long countdown)
{
    long left = countdown_to_failure;
    countdown_to_failure = countdown;
    return left;
}

void egc_mem_fail_beyond(size_t bytes)
{
    bytes_to_failure = bytes;
}
