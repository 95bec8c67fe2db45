/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compressors/core/frame.h"

#include <string.h>

#include "base/rng.h"
#include "codec/codec.h"
#include "codec/range.h"

/* ---- rounds --------------------------------------------------------------------------------- */

/* The round that carries a sparsifier's values, or a coder's only message. */
static egc_round core_round(const egc_method *method)
{
    const egc_compressor_type *type = method->compressor;
    egc_element element = type->traits & EGC_TRAIT_LINEAR ? type->element
                          : type->traits & EGC_TRAIT_SHARED
                              ? egc_codec_value_types()[method->options.value]->element
                              : EGC_ELEMENT_NONE;
    return (egc_round){EGC_COLLECTIVE_ALLGATHER, element};
}

egc_round_plan egc_round_plan_of(const egc_method *method)
{
    const egc_compressor_type *type = method->compressor;
    egc_round_plan plan = {.rounds = type->rounds ? type->rounds(method->params) : NULL};
    for (size_t r = 0; plan.rounds && r < plan.rounds->count; r++) {
        egc_collective kind = plan.rounds->kind[r];
        plan.round[plan.n_rounds++] = (egc_round){
            kind, kind == EGC_COLLECTIVE_ALLREDUCE ? EGC_ELEMENT_FP32 : EGC_ELEMENT_NONE};
    }
    if (!plan.rounds || type->select)
        plan.round[plan.n_rounds++] = core_round(method);
    return plan;
}

/* ---- units sent dense ------------------------------------------------------------------------ */

bool egc_method_sends_dense(const egc_method *method, const egc_unit *unit)
{
    const egc_compressor_type *type = method->compressor;
    return unit->count < (size_t)method->options.min_elements ||
           (method->options.dense_vectors && unit->rows == 0 && !unit->layers) ||
           (type->pays && !type->pays(method->params, unit));
}

bool egc_method_has_own_values(const egc_method *method)
{
    const egc_compressor_type *type = method->compressor;
    return type->traits & EGC_TRAIT_OWN_VALUES &&
           (!type->own_values || type->own_values(method->params));
}

const egc_value_codec *egc_round_plan_dense_codec(const egc_round_plan *plan)
{
    egc_element element = plan->round[plan->n_rounds - 1].element;
    const egc_value_codec *const *codec = egc_codec_value_types();
    while ((*codec)->element != (element ? element : EGC_ELEMENT_FP32))
        codec++;
    return *codec;
}

/* ---- the frame ------------------------------------------------------------------------------- */

static uint16_t fingerprint(const egc_method *method, size_t round, const egc_unit *units,
                            size_t count)
{
    const char *name = method->compressor->name;
    uint64_t hash = egc_hash(EGC_HASH_START, name, strlen(name));
    hash = egc_hash(hash, &round, sizeof round);
    for (size_t i = 0; i < count; i++)
        hash = egc_hash(hash, &units[i].count, sizeof units[i].count);
    return (uint16_t)(hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48);
}

egc_status egc_frame_begin(const egc_method *method, const egc_round_plan *plan, size_t round,
                           const egc_unit *units, size_t count, egc_buf *wire, size_t *start,
                           egc_error *err)
{
    egc_status status = EGC_OK;
    if (!plan->round[round].element) {
        uint16_t print = fingerprint(method, round, units, count);
        uint8_t bytes[] = {(uint8_t)print, (uint8_t)(print >> 8)};
        status = egc_buf_append(wire, bytes, sizeof bytes, err);
    }
    *start = wire->len;
    return status;
}

egc_status egc_frame_end(const egc_method *method, const egc_round_plan *plan, size_t round,
                         size_t start, egc_buf *wire, egc_error *err)
{
    if (method->options.entropy == EGC_ENTROPY_NONE || plan->round[round].element)
        return EGC_OK;
    egc_buf coded = {0};
    size_t plain = wire->len - start;
    egc_status status = egc_bits_append_varint(&coded, (uint32_t)plain, err);
    if (!status)
        status = egc_range_encode(wire->data + start, plain, &coded, err);
    wire->len = start;
    if (!status)
        status = egc_buf_append(wire, coded.data, coded.len, err);
    egc_buf_fini(&coded);
    return status;
}

/* The most bytes that these units can take: indices take eight each at most, values four. */
static size_t longest_units(const egc_method *method, const egc_unit *units, size_t count)
{
    enum { HEADERS = 64, ELEMENT = 16 };
    const egc_compressor_type *type = method->compressor;
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        size_t coded = type->bound ? type->bound(method->params, units[i].count) : 0;
        size_t other = HEADERS + ELEMENT * units[i].count;
        bytes += coded > other ? coded : other;
    }
    return bytes;
}

static egc_status unpack(const egc_method *method, const egc_unit *units, size_t count,
                         egc_reader *reader, egc_buf *plain, egc_error *err)
{
    uint32_t len;
    egc_status status = egc_bits_read_varint(reader, &len, err);
    if (status)
        return status;
    if (len > longest_units(method, units, count))
        return egc_fail(err, EGC_ERROR_FORMAT, "message claims to hold %u bytes for its units",
                        len);
    egc_buf_clear(plain);
    status = egc_buf_reserve(plain, len, err);
    if (!status)
        status = egc_range_decode(reader, plain->data, len, err);
    plain->len = len;
    *reader = egc_reader_of(plain->data, len);
    return status;
}

egc_status egc_frame_open(const egc_method *method, const egc_round_plan *plan, size_t round,
                          const egc_unit *units, size_t count, egc_reader *reader, egc_buf *plain,
                          egc_error *err)
{
    if (plan->round[round].element)
        return EGC_OK;
    const uint8_t *bytes;
    egc_status status = egc_reader_take(reader, 2, &bytes, err);
    if (status)
        return status;
    if ((bytes[0] | bytes[1] << 8) != fingerprint(method, round, units, count))
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "message is not for method %s and %zu units from %s on",
                        method->compressor->name, count, units[0].name);
    return method->options.entropy ? unpack(method, units, count, reader, plain, err) : EGC_OK;
}
