/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exchange/exchange.h"

#include <string.h>

#include "base/param.h"

#define EGC_EXCHANGE(name) extern const egc_exchange_type egc_exchange_##name;
#include "exchange/list.def"
#undef EGC_EXCHANGE

static const egc_exchange_type *const types[] = {
#define EGC_EXCHANGE(name) &egc_exchange_##name,
#include "exchange/list.def"
#undef EGC_EXCHANGE
    NULL,
};

const egc_exchange_type *const *egc_exchange_types(void)
{
    return types;
}

egc_status egc_exchange_find(const char *name, const egc_exchange_type **out, egc_error *err)
{
    for (const egc_exchange_type *const *type = types; *type; type++)
        if (strcmp((*type)->name, name) == 0) {
            *out = *type;
            return EGC_OK;
        }
    return egc_fail_unknown(err, "exchange", name, (const void *const *)types);
}

void egc_exchange_scratch_fini(egc_exchange_scratch *scratch)
{
    egc_buf_fini(&scratch->in);
    egc_buf_fini(&scratch->out);
}
