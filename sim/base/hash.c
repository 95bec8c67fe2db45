/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FNV-1a with the 64-bit offset basis and prime of the FNV specification. */
#include "base/hash.h"

uint64_t egc_hash(uint64_t hash, const void *data, size_t len)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    return hash;
}
