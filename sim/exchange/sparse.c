/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of exchanges of sparse sums. */
#include "exchange/sparse.h"

#include "base/param.h"
#include "base/registry.h"

#define EGC_SPARSE(name) extern const egc_sparse_type egc_sparse_##name;
#include "exchange/sparse.def"
#undef EGC_SPARSE

static const egc_sparse_type *const types[] = {
#define EGC_SPARSE(name) &egc_sparse_##name,
#include "exchange/sparse.def"
#undef EGC_SPARSE
    NULL,
};

const egc_sparse_type *const *egc_sparse_types(void)
{
    return types;
}

egc_status egc_sparse_find(const char *name, const egc_sparse_type **out, egc_error *err)
{
    return egc_registry_find("sparse exchange", name, (const void *const *)types, out, err);
}
