/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "memory/memory.h"

#define EGC_MEMORY(name) extern const egc_memory_type egc_memory_##name;
#include "memory/list.def"
#undef EGC_MEMORY

static const egc_memory_type *const types[] = {
#define EGC_MEMORY(name) &egc_memory_##name,
#include "memory/list.def"
#undef EGC_MEMORY
    0,
};

const egc_memory_type *const *egc_memory_types(void)
{
    return types;
}

/* x - x is +0 for every finite x, so an exactly sent value leaves nothing behind. */
void egc_memory_update(const egc_memory_unit *unit, const uint32_t *index, const float *decoded,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        unit->residual[index[i]] -= decoded[i];
    if (unit->velocity && unit->masking)
        for (size_t i = 0; i < count; i++)
            unit->velocity[index[i]] = 0;
}
