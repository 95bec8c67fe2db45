/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buffers take turns as operand and result, so that a step allocates nothing when it is repeated.
 */
#include "exchange/sparse_steps.h"

extern const egc_exchange_type egc_exchange_allgather_bruck;

egc_sparse_steps egc_sparse_steps_begin(const egc_sparse_call *given, const char *name,
                                        egc_error *err)
{
    egc_call call = {.name = name, .scratch = given->scratch, .err = err};
    return (egc_sparse_steps){egc_call_on(&call, given->transport), given};
}

void egc_sparse_steps_exchange(egc_buf *a, egc_buf *b)
{
    egc_buf other = *a;
    *a = *b;
    *b = other;
}

void egc_sparse_steps_sum(egc_sparse_steps *s, const egc_buf *a, const egc_buf *b, egc_buf *out)
{
    egc_buf_clear(out);
    if (!s->call.status)
        s->call.status = s->given->ops->sum(s->given->self, a, b, out, s->call.err);
}

void egc_sparse_steps_keep(egc_sparse_steps *s, const egc_buf *message, egc_buf *out)
{
    egc_buf_clear(out);
    if (!s->call.status)
        s->call.status = s->given->ops->keep(s->given->self, message, out, s->call.err);
}

static void cut(egc_sparse_steps *s, const egc_buf *message, int part, egc_buf *out)
{
    egc_buf_clear(out);
    if (!s->call.status)
        s->call.status =
            s->given->ops->cut(s->given->self, message, part, s->call.p, out, s->call.err);
}

void egc_sparse_steps_add(egc_sparse_steps *s, egc_buf *sum, const egc_buf *addend,
                          bool addend_first)
{
    egc_buf *spare = &s->call.scratch->spare;
    egc_sparse_steps_sum(s, addend_first ? addend : sum, addend_first ? sum : addend, spare);
    if (!s->call.status)
        egc_sparse_steps_exchange(sum, spare);
}

void egc_sparse_steps_split(egc_sparse_steps *s, const egc_buf *mine)
{
    egc_exchange_scratch *scratch = s->call.scratch;
    int p = s->call.p, rank = s->call.rank;
    cut(s, mine, rank, &scratch->sum);
    for (int step = 1; step < p; step++) {
        int to = (rank + step) % p, from = (rank + p - step) % p;
        cut(s, mine, to, &scratch->out);
        egc_call_swap(&s->call, to, scratch->out.data, scratch->out.len, from, &scratch->in);
        egc_sparse_steps_add(s, &scratch->sum, &scratch->in, false);
    }
}

void egc_sparse_steps_gather(egc_sparse_steps *s, const void *mine, size_t bytes)
{
    if (!s->call.status)
        s->call.status =
            egc_exchange_allgather(&egc_exchange_allgather_bruck, s->call.transport, mine, bytes,
                                   s->given->results, s->call.scratch, s->call.err);
}
