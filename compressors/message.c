/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compressors/message.h"

#include <string.h>

#include "base/rng.h"

bool egc_unit_is_dense(const egc_method *method, const egc_unit *unit)
{
    return unit->count < (size_t)method->options.min_elements;
}

uint16_t egc_message_fingerprint(const egc_method *method, const egc_unit *units, size_t count)
{
    const char *name = method->compressor->name;
    uint64_t hash = egc_hash(EGC_HASH_START, name, strlen(name));
    for (size_t i = 0; i < count; i++)
        hash = egc_hash(hash, &units[i].count, sizeof units[i].count);
    return (uint16_t)(hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48);
}
