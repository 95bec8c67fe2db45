/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exchange/sparse.h"

#include "base/param.h"
#include "base/registry.h"
#include "exchange/sparse_steps.h"

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

egc_status egc_sparse_steps_add(const egc_sparse_call *call, egc_buf *sum, const egc_buf *addend,
                                bool addend_first, egc_error *err)
{
    egc_buf *spare = &call->scratch->spare, previous = *sum;
    egc_buf_clear(spare);
    egc_status status = call->ops->sum(call->self, addend_first ? addend : sum,
                                       addend_first ? sum : addend, spare, err);
    if (status)
        return status;
    *sum = *spare;
    *spare = previous;
    return EGC_OK;
}

egc_status egc_sparse_steps_split(const egc_sparse_call *call, const egc_buf *mine, egc_error *err)
{
    egc_transport *transport = call->transport;
    egc_exchange_scratch *scratch = call->scratch;
    int p = transport->size, rank = transport->rank;
    egc_buf_clear(&scratch->sum);
    egc_status status = call->ops->cut(call->self, mine, rank, p, &scratch->sum, err);
    for (int round = 1; round < p && !status; round++) {
        int to = (rank + round) % p, from = (rank + p - round) % p;
        egc_buf_clear(&scratch->out);
        status = call->ops->cut(call->self, mine, to, p, &scratch->out, err);
        if (!status)
            status = egc_transport_sendrecv(transport, to, scratch->out.data, scratch->out.len,
                                            from, &scratch->in, err);
        if (!status)
            status = egc_sparse_steps_add(call, &scratch->sum, &scratch->in, false, err);
    }
    return status;
}
