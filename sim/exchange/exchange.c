/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of exchanges, and the calls by which code outside the folder runs one. */
#include "exchange/exchange.h"

#include "base/registry.h"

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
    return egc_registry_find("exchange", name, (const void *const *)types, out, err);
}

static egc_call call_of(const egc_exchange_type *type, egc_transport *transport,
                        egc_exchange_scratch *scratch, egc_error *err)
{
    egc_call call = {.name = type->name, .scratch = scratch, .err = err};
    return egc_call_on(&call, transport);
}

egc_status egc_exchange_allreduce(const egc_exchange_type *type, egc_transport *transport,
                                  egc_element element, void *data, size_t n,
                                  egc_exchange_scratch *scratch, egc_error *err)
{
    egc_call call = call_of(type, transport, scratch, err);
    call.element = element;
    call.data = data;
    call.n = n;
    if (n)
        type->run(&call);
    return call.status;
}

egc_status egc_exchange_allgather(const egc_exchange_type *type, egc_transport *transport,
                                  const void *mine, size_t bytes, egc_buf *blocks,
                                  egc_exchange_scratch *scratch, egc_error *err)
{
    egc_call call = call_of(type, transport, scratch, err);
    call.blocks = blocks;
    egc_call_copy(&call, &blocks[call.rank], mine, bytes);
    type->run(&call);
    return call.status;
}

egc_status egc_exchange_broadcast(const egc_exchange_type *type, egc_transport *transport, int root,
                                  egc_buf *message, egc_exchange_scratch *scratch, egc_error *err)
{
    egc_call call = call_of(type, transport, scratch, err);
    call.message = message;
    call.root = root;
    type->run(&call);
    return call.status;
}

egc_status egc_exchange_alltoall(const egc_exchange_type *type, egc_transport *transport,
                                 const egc_buf *pieces, egc_buf *blocks,
                                 egc_exchange_scratch *scratch, egc_error *err)
{
    egc_call call = call_of(type, transport, scratch, err);
    call.blocks = blocks;
    call.pieces = pieces;
    egc_call_copy(&call, &blocks[call.rank], pieces[call.rank].data, pieces[call.rank].len);
    type->run(&call);
    return call.status;
}
