/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rounds of a method between synchronous workers and the server of a bucket, which replace
 * collectives: the server decodes the pushes of a round when all have arrived, and its reply holds
 * the result of the collective.
 *
 *     all-reduce   the server sums the pushes             reply: the sum
 *     all-gather   it decodes all of them                 reply: all of them
 *     broadcast    the leader pushes, others nothing      reply: the leader's message
 *     all-to-all   the server is the owner of all shards, and plays the next round itself:
 *                  it votes as in Bernstein et al. 2018   no reply
 *
 * After the last round the average is complete, and the answer is the pull's (pull.c). Sums of
 * sparse messages (exchange = "sparcml", ...) are made here too: with pull = "sum" the answer is
 * the sum. */
#include "base/mem.h"
#include "compressors/core/round_plan.h"
#include "train/cost/compression_time.h"
#include "train/ps/ps.h"

static egc_collective kind_of(const egc_ps *all, size_t round)
{
    return egc_round_plan_at(&all->trainer.config->method, round).kind;
}

void egc_ps_rounds_init(egc_ps *all)
{
    size_t n =
        all->params->mode == EGC_PS_SYNC ? egc_round_plan_count(&all->trainer.config->method) : 1;
    all->n_rounds = n;
    for (size_t r = 0; r < n; r++)
        if (r == 0 || kind_of(all, r - 1) != EGC_COLLECTIVE_ALLTOALL)
            all->push_round[all->n_pushes++] = r;
}

egc_status egc_ps_rounds_write(egc_ps_worker *w, size_t push, size_t b, egc_error *err)
{
    size_t round = w->ps->push_round[push];
    bool cut = kind_of(w->ps, round) == EGC_COLLECTIVE_ALLTOALL;
    return egc_coders_write(&w->coders, round, b, cut ? w->ps->n_workers : 1, err);
}

/* ---- at the server --------------------------------------------------------------------------- */

/* Decodes the result of a round. Charges the reading of `pushed`; NULL: no charge. */
static egc_status decode(egc_ps *all, const egc_ps_bucket *bucket, size_t round,
                         const egc_round_result *result, const egc_round_result *pushed,
                         double *decode_s, egc_error *err)
{
    const egc_ps_worker *worker = &all->workers[0];
    double host_s;
    egc_status status =
        egc_coders_decode(all->decoder, egc_ps_range(all, bucket), worker->step, round, result,
                          round + 1 == all->n_rounds ? all->average : NULL, &host_s, err);
    if (pushed)
        *decode_s += egc_coders_decode_time(&worker->coders, bucket->number, round, pushed, host_s);
    return status;
}

static egc_status copy_to_reply(egc_ps_bucket *bucket, const egc_round_result *result,
                                egc_error *err)
{
    egc_status status = EGC_OK;
    egc_buf_clear(&bucket->reply);
    for (size_t i = 0; i < result->n_messages && !status; i++)
        status =
            egc_buf_append(&bucket->reply, result->messages[i].data, result->messages[i].len, err);
    return status;
}

static egc_status sum_pushes(egc_ps *all, egc_ps_bucket *bucket, size_t round,
                             egc_round_result *result, egc_error *err)
{
    egc_element element = egc_round_plan_at(&all->trainer.config->method, round).element;
    const egc_round_result first = {.messages = bucket->pushes, .n_messages = 1};
    egc_status status = copy_to_reply(bucket, &first, err);
    for (size_t w = 1; w < all->n_workers && !status; w++)
        egc_element_add(element, bucket->reply.data, bucket->pushes[w].data,
                        bucket->reply.len / egc_element_bytes(element));
    *result = (egc_round_result){.messages = &bucket->reply, .n_messages = 1, .reduced = true};
    return status;
}

/* Every shard has its pieces in all pushes. */
static egc_status decode_shards(egc_ps *all, egc_ps_bucket *bucket, size_t round, double *decode_s,
                                egc_error *err)
{
    size_t n = all->n_workers;
    const egc_round_result pushed = {.messages = bucket->pushes, .n_messages = n};
    egc_reader *rest = egc_calloc(n, sizeof *rest);
    egc_buf *pieces = egc_calloc(n, sizeof *pieces); /* views */
    egc_status status = rest && pieces ? EGC_OK : egc_fail_memory(err, n * sizeof *pieces);
    for (size_t w = 0; w < n && !status; w++)
        rest[w] = egc_reader_of(bucket->pushes[w].data, bucket->pushes[w].len);
    for (size_t shard = 0; shard < n && !status; shard++) {
        const egc_round_result result = {
            .messages = n > 1 ? pieces : bucket->pushes, .n_messages = n, .shard = shard};
        for (size_t w = 0; n > 1 && w < n && !status; w++)
            status = egc_coders_next_part(&rest[w], &pieces[w], err);
        if (!status)
            status = decode(all, bucket, round, &result, shard ? NULL : &pushed, decode_s, err);
    }
    egc_free(rest);
    egc_free(pieces);
    return status;
}

/* The round after an all-to-all: the owners' messages are the server's own. */
static egc_status decode_own(egc_ps *all, egc_ps_bucket *bucket, size_t round, double *decode_s,
                             egc_error *err)
{
    size_t n = all->n_workers;
    egc_buf *messages = egc_calloc(n, sizeof *messages);
    egc_status status = messages ? EGC_OK : egc_fail_memory(err, n * sizeof *messages);
    for (size_t w = 0; w < n && !status; w++)
        status =
            egc_coders_encode(&all->workers[w].coders, round, bucket->number, 0, &messages[w], err);
    const egc_round_result result = {.messages = messages, .n_messages = n};
    if (!status)
        status = decode(all, bucket, round, &result, &result, decode_s, err);
    if (!status)
        status = copy_to_reply(bucket, &result, err);
    for (size_t w = 0; messages && w < n; w++)
        egc_buf_fini(&messages[w]);
    egc_free(messages);
    return status;
}

/* ---- sums of sparse messages ----------------------------------------------------------------- */

/* Replaces *sum by what the step of merging wrote to *next, and charges it. */
static void accept(const egc_ps *all, egc_buf *sum, egc_buf *next, size_t in_bytes,
                   double *decode_s)
{
    egc_buf spare = *sum;
    *sum = *next;
    *next = spare;
    egc_buf_clear(next);
    *decode_s +=
        egc_compression_time_merge(all->trainer.config, (double)in_bytes, (double)sum->len);
}

/* The sum in the order of ranks, of which the exchange's rule then keeps its part. */
static egc_status merge(egc_ps *all, egc_ps_bucket *bucket, egc_round_result *result,
                        double *decode_s, egc_error *err)
{
    egc_merger *merger = bucket->merger;
    uint64_t step = all->workers[0].step;
    egc_buf sum = {0}, next = {0}, opened = {0};
    egc_status status = egc_merger_open(merger, &bucket->pushes[0], &sum, err);
    for (size_t w = 1; w < all->n_workers && !status; w++) {
        egc_buf_clear(&opened);
        status = egc_merger_open(merger, &bucket->pushes[w], &opened, err);
        if (!status)
            status = egc_merger_sum(merger, &sum, &opened, &next, err);
        if (!status)
            accept(all, &sum, &next, sum.len + opened.len, decode_s);
    }
    if (!status && all->merge != EGC_MERGE_ALL) {
        status = egc_merger_keep(merger, step, &sum, &next, err);
        accept(all, &sum, &next, sum.len, decode_s);
    }
    egc_buf_clear(&bucket->reply);
    if (!status)
        status = egc_merger_join(merger, step, &sum, 1, &bucket->reply, err);
    egc_buf_fini(&sum);
    egc_buf_fini(&next);
    egc_buf_fini(&opened);
    *result = (egc_round_result){.messages = &bucket->reply, .n_messages = 1, .reduced = true};
    return status;
}

/* ---- a round --------------------------------------------------------------------------------- */

static egc_status decode_round(egc_ps *all, egc_ps_bucket *bucket, size_t round, double *decode_s,
                               egc_error *err)
{
    egc_round_result pushed = {.messages = bucket->pushes, .n_messages = all->n_workers};
    egc_round_result result = pushed;
    bool last = round + 1 == all->n_rounds;
    egc_status status = EGC_OK;
    switch (kind_of(all, round)) {
    case EGC_COLLECTIVE_ALLTOALL:
        status = decode_shards(all, bucket, round, decode_s, err);
        return status ? status : decode_own(all, bucket, round + 1, decode_s, err);
    case EGC_COLLECTIVE_ALLREDUCE:
        status = sum_pushes(all, bucket, round, &result, err);
        break;
    case EGC_COLLECTIVE_BROADCAST:
        result.messages = &bucket->pushes[all->workers[0].step % all->n_workers];
        result.n_messages = 1;
        pushed = result;
        status = copy_to_reply(bucket, &result, err);
        break;
    case EGC_COLLECTIVE_ALLGATHER:
        if (bucket->merger)
            status = merge(all, bucket, &result, decode_s, err);
        else if (!last)
            status = copy_to_reply(bucket, &result, err);
        break;
    }
    return status ? status
                  : decode(all, bucket, round, &result, bucket->merger ? &result : &pushed,
                           decode_s, err);
}

egc_status egc_ps_rounds_decode(egc_ps *all, egc_ps_bucket *bucket, double *decode_s,
                                egc_error *err)
{
    egc_status status = decode_round(all, bucket, all->push_round[bucket->push], decode_s, err);
    bucket->push = (bucket->push + 1) % all->n_pushes;
    if (status || bucket->push > 0)
        return status;
    for (size_t w = 0; w < all->n_workers && !status; w++)
        status = egc_coders_finish(&all->workers[w].coders, bucket->number, err);
    egc_coders_note_correction(all->decoder, egc_ps_range(all, bucket), &all->trainer.stats);
    return status;
}

/* ---- at the worker --------------------------------------------------------------------------- */

egc_status egc_ps_rounds_next(egc_ps_worker *w, const egc_ps_bucket *bucket, size_t push,
                              const egc_buf *reply, double *decode_s, egc_error *err)
{
    size_t round = w->ps->push_round[push];
    const egc_round_result result = {
        .messages = reply,
        .n_messages = 1,
        .reduced = kind_of(w->ps, round) == EGC_COLLECTIVE_ALLREDUCE,
    };
    *decode_s = egc_coders_decode_time(&w->coders, bucket->number, round, &result, 0);
    return egc_ps_rounds_write(w, push + 1, bucket->number, err);
}
