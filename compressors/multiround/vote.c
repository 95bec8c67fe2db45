/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Majority votes: owners of shards count ballots 64 at a time by bitwise adders, and replicas keep
 * the replies as they were sent. */
#include "compressors/multiround/vote.h"

#include <assert.h>
#include <string.h>

const char *const egc_vote_tie_words[] = {"plus", "zero", NULL};

bool egc_vote_needs_rounds(const void *params)
{
    return ((const egc_vote_params *)params)->vote;
}

egc_status egc_vote_check(const void *params_, egc_error *err)
{
    const egc_vote_params *params = params_;
    if (!params->vote && params->tie)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED, "tie = \"%s\" needs vote = true",
                        egc_vote_tie_words[params->tie]);
    return EGC_OK;
}

/* The replica keeps the replies of shards as they are sent, those of the shard that begins at
 * element f from byte fields * f on: a shard's field is never longer than its elements are many.
 */
static size_t fields_of(const egc_vote_params *params, size_t n_workers)
{
    return params->tie == EGC_VOTE_TIE_ZERO && n_workers % 2 == 0 ? 2 : 1;
}

size_t egc_vote_replica_size(const void *params, const egc_unit *unit)
{
    return unit->count * fields_of(params, 2);
}

egc_status egc_vote_reply(const void *params, const void *replica, const egc_context *context,
                          size_t n, egc_buf *wire, egc_error *err)
{
    egc_unit_shard shard = egc_unit_shard_of(n, context->worker, context->n_workers);
    size_t fields = fields_of(params, context->n_workers);
    return egc_buf_append(wire, (const uint8_t *)replica + fields * shard.first,
                          fields * egc_signs_bound(NULL, shard.count), err);
}

/* Sixty-four votes at once. Bit i of counter[0], counter[1], ... is the number of minus signs for
 * the i-th element in binary; adding a ballot is a carry through as few of them as it needs. Then
 * the numbers are compared with half the workers, from the top digit down. */
static void count_votes(const uint8_t *const *ballots, size_t n_workers, size_t at, size_t len,
                        uint64_t *minus, uint64_t *tied)
{
    uint64_t counter[64];
    unsigned digits = 0;
    for (; n_workers >> digits; digits++)
        counter[digits] = 0;
    for (size_t w = 0; w < n_workers; w++) {
        uint64_t carry = 0;
        memcpy(&carry, ballots[w] + at, len);
        for (unsigned digit = 0; carry; digit++) {
            uint64_t both = counter[digit] & carry;
            counter[digit] ^= carry;
            carry = both;
        }
    }
    uint64_t above = 0, equal = UINT64_MAX;
    for (unsigned digit = digits; digit-- > 0;) {
        uint64_t half = n_workers / 2 >> digit & 1 ? UINT64_MAX : 0;
        above |= equal & counter[digit] & ~half;
        equal &= ~(counter[digit] ^ half);
    }
    *minus = above;
    *tied = n_workers % 2 ? 0 : equal;
}

static egc_status absorb_ballots(const egc_vote_params *params, uint8_t *replica,
                                 const egc_context *context, egc_reader *messages,
                                 size_t n_messages, egc_error *err)
{
    const uint8_t **ballots = egc_arena_alloc(context->scratch, n_messages * sizeof *ballots);
    if (!ballots)
        return egc_fail_memory(err, n_messages * sizeof *ballots);
    for (size_t w = 0; w < n_messages; w++) {
        egc_status status = egc_signs_take(&messages[w], context->shard_count, &ballots[w], err);
        if (status)
            return status;
    }
    size_t fields = fields_of(params, context->n_workers);
    size_t bytes = egc_signs_bound(NULL, context->shard_count);
    uint8_t *reply = replica + fields * context->shard_first;
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        size_t len = bytes - at < sizeof(uint64_t) ? bytes - at : sizeof(uint64_t);
        uint64_t minus, tied;
        count_votes(ballots, n_messages, at, len, &minus, &tied);
        memcpy(reply + at, &minus, len);
        if (fields == 2)
            memcpy(reply + bytes + at, &tied, len);
    }
    return EGC_OK;
}

static egc_status absorb_reply(size_t fields, uint8_t *replica, egc_unit_shard shard,
                               egc_reader *message, egc_error *err)
{
    uint8_t *reply = replica + fields * shard.first;
    size_t bytes = egc_signs_bound(NULL, shard.count);
    for (size_t field = 0; field < fields; field++) {
        const uint8_t *bits;
        egc_status status = egc_signs_take(message, shard.count, &bits, err);
        if (status)
            return status;
        memcpy(reply + field * bytes, bits, bytes);
    }
    for (size_t i = 0; fields == 2 && i < bytes; i++)
        if (reply[i] & reply[bytes + i])
            return egc_fail(err, EGC_ERROR_FORMAT, "a vote is both tied and minus");
    return EGC_OK;
}

egc_status egc_vote_absorb(const void *params, void *replica, const egc_context *context,
                           size_t round, egc_reader *messages, size_t n_messages, size_t n,
                           egc_error *err)
{
    assert(n_messages == context->n_workers);
    if (round == EGC_VOTE_BALLOT)
        return absorb_ballots(params, replica, context, messages, n_messages, err);
    egc_status status = EGC_OK;
    for (size_t r = 0; r < n_messages && !status; r++)
        status = absorb_reply(fields_of(params, n_messages), replica,
                              egc_unit_shard_of(n, r, n_messages), &messages[r], err);
    return status;
}

egc_status egc_vote_reconstruct(const void *params, const void *replica, const egc_context *context,
                                float *out, size_t n, egc_error *err)
{
    (void)err;
    static const float value[] = {1, -1};
    size_t fields = fields_of(params, context->n_workers);
    for (size_t r = 0; r < context->n_workers; r++) {
        egc_unit_shard shard = egc_unit_shard_of(n, r, context->n_workers);
        const uint8_t *signs = (const uint8_t *)replica + fields * shard.first;
        const uint8_t *ties = signs + egc_signs_bound(NULL, shard.count);
        for (size_t i = 0; i < shard.count; i++)
            out[shard.first + i] = value[signs[i / 8] >> (7 - i % 8) & 1];
        for (size_t i = 0; fields == 2 && i < shard.count; i++)
            if (ties[i / 8] >> (7 - i % 8) & 1)
                out[shard.first + i] = 0;
    }
    return EGC_OK;
}
