/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sparse_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool is_dense(const format *f, const egc_buf *message)
{
    return f->may_be_dense && message->len == f->n * sizeof(float);
}

egc_status format_add(const format *f, const egc_buf *message, float *vector, egc_error *err)
{
    size_t bytes = is_dense(f, message) ? sizeof(float) : sizeof(entry), n = message->len / bytes;
    for (size_t i = 0; i < n; i++) {
        entry e = {(uint32_t)i, 0};
        if (bytes == sizeof e)
            memcpy(&e, message->data + i * sizeof e, sizeof e);
        else
            memcpy(&e.value, message->data + i * sizeof e.value, sizeof e.value);
        if (e.index >= f->n)
            return egc_fail(err, EGC_ERROR_FORMAT, "index %u of %zu", e.index, f->n);
        vector[e.index] += e.value;
    }
    return EGC_OK;
}

egc_status format_append(const format *f, const float *vector, egc_buf *out, egc_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < f->n; i++)
        count += vector[i] != 0;
    if (f->may_be_dense && count * sizeof(entry) >= f->n * sizeof(float))
        return egc_buf_append(out, vector, f->n * sizeof *vector, err);
    egc_status status = EGC_OK;
    for (size_t i = 0; i < f->n && !status; i++) {
        entry e = {(uint32_t)i, vector[i]};
        if (vector[i] != 0)
            status = egc_buf_append(out, &e, sizeof e, err);
    }
    return status;
}

static float magnitude_of(const void *element)
{
    return fabsf(((const entry *)element)->value);
}

static int compare_entries(const void *a, const void *b)
{
    float left = magnitude_of(a), right = magnitude_of(b);
    uint32_t i = ((const entry *)a)->index, j = ((const entry *)b)->index;
    return left != right ? (left < right) - (left > right) : (i > j) - (i < j);
}

void format_keep(const format *f, float *vector, entry *order)
{
    for (size_t i = 0; i < f->n; i++)
        order[i] = (entry){(uint32_t)i, vector[i]};
    if (f->kept)
        qsort(order, f->n, sizeof *order, compare_entries);
    for (size_t i = 0; i < f->n; i++)
        if (f->kept ? i >= f->kept : fabsf(order[i].value) < f->threshold)
            vector[order[i].index] = 0;
}

static egc_status sum_messages(void *self, const egc_buf *a, const egc_buf *b, egc_buf *out,
                               egc_error *err)
{
    const format *f = self;
    float *vector = egc_calloc(f->n, sizeof *vector);
    egc_status status = vector ? format_add(f, a, vector, err) : egc_fail_memory(err, f->n);
    if (!status)
        status = format_add(f, b, vector, err);
    if (!status)
        status = format_append(f, vector, out, err);
    egc_free(vector);
    return status;
}

static egc_status keep_message(void *self, const egc_buf *message, egc_buf *out, egc_error *err)
{
    const format *f = self;
    float *vector = egc_calloc(f->n, sizeof *vector);
    entry *order = egc_calloc(f->n, sizeof *order);
    egc_status status =
        vector && order ? format_add(f, message, vector, err) : egc_fail_memory(err, f->n);
    if (!status) {
        format_keep(f, vector, order);
        status = format_append(f, vector, out, err);
    }
    egc_free(order);
    egc_free(vector);
    return status;
}

static egc_status cut_message(void *self, const egc_buf *message, int part, int parts, egc_buf *out,
                              egc_error *err)
{
    const format *f = self;
    size_t first = f->n * (size_t)part / (size_t)parts,
           end = f->n * ((size_t)part + 1) / (size_t)parts;
    float *vector = egc_calloc(f->n, sizeof *vector);
    egc_status status = vector ? format_add(f, message, vector, err) : egc_fail_memory(err, f->n);
    for (size_t i = 0; i < f->n && !status; i++)
        if (i < first || i >= end)
            vector[i] = 0;
    if (!status)
        status = format_append(f, vector, out, err);
    egc_free(vector);
    return status;
}

const egc_sparse_ops format_ops = {sum_messages, keep_message, cut_message};

egc_status sparse_timing_main(worker *self, egc_error *err)
{
    const sparse_timing *timed = self->arg;
    size_t p = (size_t)self->transport->size, first = timed->disjoint ? (size_t)self->rank : 0;
    format f = {timed->count * p, false, timed->type->cuts ? timed->count / p : timed->count, 0};
    egc_exchange_scratch scratch = {0};
    egc_buf mine = {0}, *results = egc_calloc(p, sizeof *results);
    egc_sparse_call call = {self->transport, &format_ops, &f, results, &scratch};
    egc_status status = results ? EGC_OK : egc_fail_memory(err, p);
    for (size_t i = 0; i < timed->count && !status; i++) {
        entry e = {(uint32_t)(i * p + first), 1};
        status = egc_buf_append(&mine, &e, sizeof e, err);
    }
    if (!status)
        status = timed->type->reduce(&call, &mine, err);
    for (size_t r = 0; r < p && results; r++)
        egc_buf_fini(&results[r]);
    egc_free(results);
    egc_buf_fini(&mine);
    egc_exchange_scratch_fini(&scratch);
    return status;
}
