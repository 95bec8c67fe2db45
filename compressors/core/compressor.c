/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of compressor types, made from list.def at compile time. */
#include "compressors/plugin.h"

#include "base/registry.h"

#define EGC_COMPRESSOR(name) extern const egc_compressor_type egc_compressor_##name;
#include "compressors/core/list.def"
#undef EGC_COMPRESSOR

static const egc_compressor_type *const types[] = {
#define EGC_COMPRESSOR(name) &egc_compressor_##name,
#include "compressors/core/list.def"
#undef EGC_COMPRESSOR
    NULL,
};

const egc_compressor_type *const *egc_compressor_types(void)
{
    return types;
}

egc_status egc_compressor_find(const char *name, const egc_compressor_type **out, egc_error *err)
{
    return egc_registry_find("compressor", name, (const void *const *)types, out, err);
}
