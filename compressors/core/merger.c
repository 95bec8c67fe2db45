/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums, selections and cuts of sparse messages, each read, computed and written unit by unit by the
 * method's own codecs. */
#include "compressors/core/merger.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compressors/core/frame.h"
#include "compressors/core/sparse_message.h"
#include "compressors/core/workspace.h"
#include "compressors/sparsifiers/largest.h"

/* Steps between two thresholds: tau' of Ok-Topk's paper. */
enum { THRESHOLD_STEPS = 32 };

struct egc_merger {
    egc_method method;
    egc_round_plan plan;
    egc_merge_rule rule;
    size_t n_workers;
    egc_unit *units;
    size_t n_units;
    size_t n; /* elements in all */
    bool *dense;
    egc_selection a, b;  /* room for the longest unit */
    egc_workspace *work; /* borrowed: its index and value hold the selection to write */

    /* State of the rule ABOVE, the same for all workers. */
    float *threshold; /* one per unit */
    size_t *start;    /* n_workers + 1: where parts begin among the elements */
    bool knows;       /* a threshold was made */
    uint64_t knows_since;
};

/* ---- checks ---------------------------------------------------------------------------------- */

#define REFUSE(...) return egc_fail(err, EGC_ERROR_UNSUPPORTED, __VA_ARGS__)

static egc_status check_messages(const egc_method *method, egc_error *err)
{
    const egc_method_options *options = &method->options;
    const egc_compressor_type *type = method->compressor;
    const egc_index_codec *index = egc_method_index_codec(method);
    const egc_value_codec *value = egc_method_value_codec(method);
    if (!type->select)
        REFUSE("%s sends every element, in bytes of its own; use a method that chooses elements, "
               "such as topk",
               method->name);
    if (egc_round_plan_count(method) > 1 || type->traits & EGC_TRAIT_SHARED)
        REFUSE("%s makes all workers send the same elements, whose values any exchange can sum; "
               "use auto",
               method->name);
    if (options->entropy)
        REFUSE("%s packs its messages with entropy = \"range\"; use entropy = \"none\"",
               method->name);
    if (index && index->lossy)
        REFUSE("%s sends other positions than it chose with index = \"%s\"; use another index "
               "codec",
               method->name, index->name);
    if (!value->element)
        REFUSE("%s sends values that do not stand alone with value = \"%s\"; use fp32, fp16 or "
               "bf16",
               method->name, value->name);
    return EGC_OK;
}

egc_status egc_merger_check(const egc_method *method, egc_merge_rule rule, egc_error *err)
{
    egc_status status = check_messages(method, err);
    if (status)
        return status;
    if (method->options.lr_correction == EGC_CORRECTION_LAYER)
        REFUSE("%s corrects by the density of every worker's message, which a sum does not show; "
               "use lr_correction = \"none\"",
               method->name);
    if (rule >= EGC_MERGE_LARGEST && isnan(egc_method_density(method, 0)))
        REFUSE("%s does not say how many elements to keep of a sum; use a method with a ratio, "
               "such as topk",
               method->name);
    return EGC_OK;
}

/* ---- life ------------------------------------------------------------------------------------ */

void egc_merger_free(egc_merger *m)
{
    if (!m)
        return;
    egc_free(m->units);
    egc_free(m->dense);
    egc_free(m->a.index);
    egc_free(m->a.value);
    egc_free(m->b.index);
    egc_free(m->b.value);
    egc_free(m->threshold);
    egc_free(m->start);
    egc_free(m);
}

static bool allocate(egc_merger *m, const egc_unit *units)
{
    size_t longest = 0;
    m->units = egc_calloc(m->n_units, sizeof *m->units);
    m->dense = egc_calloc(m->n_units, sizeof *m->dense);
    m->threshold = egc_calloc(m->n_units, sizeof *m->threshold);
    m->start = egc_calloc(m->n_workers + 1, sizeof *m->start);
    if (!m->units || !m->dense || !m->threshold || !m->start)
        return false;
    for (size_t u = 0; u < m->n_units; u++) {
        m->units[u] = units[u];
        m->dense[u] = egc_method_sends_dense(&m->method, &units[u]);
        m->n += units[u].count;
        longest = units[u].count > longest ? units[u].count : longest;
    }
    m->a.index = egc_calloc(longest, sizeof *m->a.index);
    m->a.value = egc_calloc(longest, sizeof *m->a.value);
    m->b.index = egc_calloc(longest, sizeof *m->b.index);
    m->b.value = egc_calloc(longest, sizeof *m->b.value);
    return m->a.index && m->a.value && m->b.index && m->b.value;
}

egc_status egc_merger_new(const egc_coder_config *config, size_t first, size_t count,
                          egc_merger **out, egc_error *err)
{
    egc_merger *m = egc_calloc(1, sizeof *m);
    if (!m)
        return egc_fail_memory(err, sizeof *m);
    *m = (egc_merger){
        .method = *config->method,
        .plan = egc_round_plan_of(config->method),
        .rule = config->merge,
        .n_workers = config->n_workers,
        .n_units = count,
        .work = config->workspace,
    };
    if (!allocate(m, &config->units[first])) {
        egc_merger_free(m);
        return egc_fail_memory(err, count * sizeof *m->units);
    }
    for (size_t r = 0; r <= m->n_workers; r++)
        m->start[r] = m->n * r / m->n_workers;
    *out = m;
    return EGC_OK;
}

/* ---- messages, unit by unit ------------------------------------------------------------------ */

static egc_frame frame_of(const egc_merger *m, size_t round)
{
    return (egc_frame){&m->method, &m->plan, round, m->units, m->n_units};
}

static egc_status begin(const egc_merger *m, egc_buf *out, egc_error *err)
{
    size_t start;
    egc_frame frame = frame_of(m, EGC_ROUND_MERGED);
    return egc_frame_begin(&frame, out, &start, err);
}

static egc_status open_frame(const egc_merger *m, size_t round, const egc_buf *message,
                             egc_reader *reader, egc_error *err)
{
    egc_frame frame = frame_of(m, round);
    *reader = egc_reader_of(message->data, message->len);
    return egc_frame_open(&frame, reader, NULL, err);
}

static egc_status read_unit(const egc_merger *m, size_t u, egc_reader *reader, egc_selection *out,
                            egc_error *err)
{
    return egc_sparse_message_read(reader, out, m->units[u].count, err);
}

/* An empty selection in the workspace, to fill and write. */
static egc_selection to_write(const egc_merger *m)
{
    return (egc_selection){.index = m->work->index, .value = m->work->value};
}

static void append(egc_selection *selection, uint32_t index, float value)
{
    selection->index[selection->count] = index;
    selection->value[selection->count++] = value;
}

/* Lists all n elements, with 0 where there was none. */
static void list_all(egc_selection *selection, size_t n)
{
    size_t left =
        selection
            ->count; /* never more than i + 1, so no element is overwritten before it is read */
    for (size_t i = n; i-- > 0;) {
        bool listed = left > 0 && selection->index[left - 1] == i;
        selection->value[i] = listed ? selection->value[--left] : 0;
        selection->index[i] = (uint32_t)i;
    }
    selection->count = n;
}

static egc_status write_unit(const egc_merger *m, size_t u, egc_selection *selection, egc_buf *out,
                             egc_error *err)
{
    enum { LIST_OF_ALL = 16 }; /* upper bound in bytes of a list of all indices: one run */
    const egc_index_codec *index = egc_method_index_codec(&m->method);
    const egc_value_codec *value =
        m->dense[u] ? egc_round_plan_dense_codec(&m->plan) : egc_method_value_codec(&m->method);
    size_t n = m->units[u].count;
    size_t bytes =
        egc_sparse_message_bytes(NULL, index, value, selection->index, selection->count, n);
    if (bytes > egc_sparse_message_values_bytes(value, n) + LIST_OF_ALL) {
        list_all(selection, n);
        index = NULL;
    }
    return egc_sparse_message_write(index, value, NULL, NULL, selection, n, out, NULL, err);
}

/* The position of a unit's first element among those of all units. */
static size_t first_of(const egc_merger *m, size_t u)
{
    return m->units[u].first - m->units[0].first;
}

/* ---- opening --------------------------------------------------------------------------------- */

static egc_status open_dense(egc_merger *m, size_t u, egc_reader *reader, egc_buf *out,
                             egc_error *err)
{
    egc_selection all = to_write(m);
    size_t n = m->units[u].count;
    egc_status status = egc_sparse_message_read_values(egc_round_plan_dense_codec(&m->plan), reader,
                                                       all.value, n, err);
    for (all.count = 0; all.count < n; all.count++)
        all.index[all.count] = (uint32_t)all.count;
    return status ? status : write_unit(m, u, &all, out, err);
}

/* Copies the bytes of a selection unchanged. */
static egc_status open_sparse(egc_merger *m, size_t u, egc_reader *reader, egc_buf *out,
                              egc_error *err)
{
    const uint8_t *bytes = reader->next;
    egc_status status = read_unit(m, u, reader, &m->a, err);
    return status ? status : egc_buf_append(out, bytes, (size_t)(reader->next - bytes), err);
}

egc_status egc_merger_open(egc_merger *m, const egc_buf *message, egc_buf *out, egc_error *err)
{
    egc_reader reader;
    egc_status status = open_frame(m, 0, message, &reader, err);
    if (!status)
        status = begin(m, out, err);
    for (size_t u = 0; u < m->n_units && !status; u++)
        status = m->dense[u] ? open_dense(m, u, &reader, out, err)
                             : open_sparse(m, u, &reader, out, err);
    return status ? status : egc_frame_close(&reader, err);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static float largest_value(egc_element element)
{
    return element == EGC_ELEMENT_FP16   ? 65504
           : element == EGC_ELEMENT_BF16 ? 0x1.fep127f
                                         : 0x1.fffffep127f;
}

static egc_status check_sums(const egc_merger *m, size_t u, const egc_selection *sum,
                             egc_error *err)
{
    const egc_value_codec *value = egc_method_value_codec(&m->method);
    float largest = largest_value(m->dense[u] ? EGC_ELEMENT_FP32 : value->element);
    for (size_t i = 0; i < sum->count; i++)
        if (!(fabsf(sum->value[i]) <= largest))
            return egc_fail(err, EGC_ERROR_NONFINITE,
                            "%s: a sum of messages is too large for value = \"%s\"; use another "
                            "or clip",
                            m->units[u].name, value->name);
    return EGC_OK;
}

/* The sum of two selections in ascending order of index. */
static egc_selection add(const egc_merger *m, const egc_selection *a, const egc_selection *b)
{
    egc_selection sum = to_write(m);
    size_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        bool from_a = j == b->count || (i < a->count && a->index[i] <= b->index[j]);
        bool from_b = i == a->count || (j < b->count && b->index[j] <= a->index[i]);
        uint32_t index = from_a ? a->index[i] : b->index[j];
        append(&sum, index,
               from_a && from_b ? a->value[i] + b->value[j]
               : from_a         ? a->value[i]
                                : b->value[j]);
        i += from_a;
        j += from_b;
    }
    return sum;
}

egc_status egc_merger_sum(egc_merger *m, const egc_buf *a, const egc_buf *b, egc_buf *out,
                          egc_error *err)
{
    egc_reader left, right;
    egc_status status = open_frame(m, EGC_ROUND_MERGED, a, &left, err);
    if (!status)
        status = open_frame(m, EGC_ROUND_MERGED, b, &right, err);
    if (!status)
        status = begin(m, out, err);
    for (size_t u = 0; u < m->n_units && !status; u++) {
        status = read_unit(m, u, &left, &m->a, err);
        if (!status)
            status = read_unit(m, u, &right, &m->b, err);
        if (status)
            break;
        egc_selection sum = add(m, &m->a, &m->b);
        status = check_sums(m, u, &sum, err);
        if (!status)
            status = write_unit(m, u, &sum, out, err);
    }
    if (!status)
        status = egc_frame_close(&left, err);
    return status ? status : egc_frame_close(&right, err);
}

/* ---- selection ------------------------------------------------------------------------------- */

static bool learns(const egc_merger *m, uint64_t step)
{
    return m->rule == EGC_MERGE_ABOVE && (!m->knows || step - m->knows_since >= THRESHOLD_STEPS);
}

/* The k-th largest magnitude; *ties becomes how many elements of this magnitude are among the k
 * largest. With fewer than k elements the result is 0: all are kept. */
static float kth_largest(egc_merger *m, size_t u, uint64_t step, const egc_selection *from,
                         size_t *ties)
{
    size_t k = egc_largest_count(egc_method_density(&m->method, step), m->units[u].count);
    *ties = k;
    return k <= from->count ? egc_largest_threshold(from->value, from->count, ties, m->work->index)
                            : 0;
}

/* The elements of larger magnitude than `threshold`, and the first `ties` that equal it; no zeros.
 */
static egc_selection at_least(const egc_merger *m, const egc_selection *from, float threshold,
                              size_t ties)
{
    egc_selection kept = to_write(m);
    for (size_t i = 0; i < from->count; i++) {
        float magnitude = fabsf(from->value[i]);
        bool tie = magnitude == threshold;
        if (magnitude == 0 || magnitude < threshold || (tie && ties == 0))
            continue;
        ties -= tie;
        append(&kept, from->index[i], from->value[i]);
    }
    return kept;
}

static egc_selection all_of(const egc_merger *m, const egc_selection *from)
{
    egc_selection all = to_write(m);
    for (size_t i = 0; i < from->count; i++)
        append(&all, from->index[i], from->value[i]);
    return all;
}

static egc_selection keep_unit(egc_merger *m, size_t u, uint64_t step, const egc_selection *from)
{
    size_t ties = from->count;
    if (m->dense[u])
        return all_of(m, from);
    float threshold = m->rule == EGC_MERGE_LARGEST ? kth_largest(m, u, step, from, &ties)
                      : learns(m, step)            ? 0
                                                   : m->threshold[u];
    return at_least(m, from, threshold, ties);
}

egc_status egc_merger_keep(egc_merger *m, uint64_t step, const egc_buf *message, egc_buf *out,
                           egc_error *err)
{
    egc_reader reader;
    egc_status status = open_frame(m, EGC_ROUND_MERGED, message, &reader, err);
    if (!status)
        status = begin(m, out, err);
    for (size_t u = 0; u < m->n_units && !status; u++) {
        status = read_unit(m, u, &reader, &m->a, err);
        if (status)
            break;
        egc_selection kept = keep_unit(m, u, step, &m->a);
        status = write_unit(m, u, &kept, out, err);
    }
    return status ? status : egc_frame_close(&reader, err);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* The first element of the part-th of `parts` ranges. */
static size_t start_of(const egc_merger *m, size_t part, size_t parts)
{
    return parts == m->n_workers ? m->start[part] : m->n * part / parts;
}

egc_status egc_merger_cut(egc_merger *m, const egc_buf *message, int part, int parts, egc_buf *out,
                          egc_error *err)
{
    egc_reader reader;
    size_t start = start_of(m, (size_t)part, (size_t)parts);
    size_t end = start_of(m, (size_t)part + 1, (size_t)parts);
    egc_status status = open_frame(m, EGC_ROUND_MERGED, message, &reader, err);
    if (!status)
        status = begin(m, out, err);
    for (size_t u = 0; u < m->n_units && !status; u++) {
        egc_selection within = to_write(m);
        status = read_unit(m, u, &reader, &m->a, err);
        for (size_t i = 0; i < m->a.count && !status; i++) {
            size_t element = first_of(m, u) + m->a.index[i];
            if (start <= element && element < end)
                append(&within, m->a.index[i], m->a.value[i]);
        }
        if (!status)
            status = write_unit(m, u, &within, out, err);
    }
    return status ? status : egc_frame_close(&reader, err);
}

/* ---- joining --------------------------------------------------------------------------------- */

/* The parts' elements of one unit, into m->a. */
static egc_status join_unit(egc_merger *m, size_t u, egc_reader *readers, size_t n, egc_error *err)
{
    egc_selection *all = &m->a;
    egc_status status = EGC_OK;
    all->count = 0;
    for (size_t p = 0; p < n && !status; p++) {
        status = read_unit(m, u, &readers[p], &m->b, err);
        if (!status && m->b.count && all->count && m->b.index[0] <= all->index[all->count - 1])
            status = egc_fail(err, EGC_ERROR_FORMAT, "part %zu does not follow those before it", p);
        for (size_t i = 0; i < m->b.count && !status; i++)
            append(all, m->b.index[i], m->b.value[i]);
    }
    return status;
}

/* Makes parts contain equally many of the listed elements, ascending; with fewer elements than
 * parts, all parts get one length. */
static void balance_parts(egc_merger *m, const egc_buf *listed)
{
    const size_t *element = (const size_t *)(const void *)listed->data;
    size_t n_listed = listed->len / sizeof *element;
    for (size_t r = 1; r < m->n_workers; r++)
        m->start[r] = n_listed < m->n_workers ? m->n * r / m->n_workers
                                              : element[n_listed * r / m->n_workers];
}

/* Adds the elements of m->a. */
static egc_status list_unit(const egc_merger *m, size_t u, egc_buf *listed, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t i = 0; i < m->a.count && !status; i++) {
        size_t element = first_of(m, u) + m->a.index[i];
        status = egc_buf_append(listed, &element, sizeof element, err);
    }
    return status;
}

/* Sets the threshold from the complete sum of a unit, in m->a, and drops the elements below it. */
static egc_selection learn_unit(egc_merger *m, size_t u, uint64_t step)
{
    size_t ties;
    if (m->dense[u])
        return all_of(m, &m->a);
    m->threshold[u] = kth_largest(m, u, step, &m->a, &ties);
    return at_least(m, &m->a, m->threshold[u], ties);
}

static egc_status join_units(egc_merger *m, uint64_t step, egc_reader *readers, size_t n,
                             egc_buf *listed, egc_buf *out, egc_error *err)
{
    bool relearns = learns(m, step);
    egc_status status = EGC_OK;
    for (size_t u = 0; u < m->n_units && !status; u++) {
        status = join_unit(m, u, readers, n, err);
        if (!status && relearns)
            status = list_unit(m, u, listed, err);
        if (status)
            break;
        egc_selection joined = relearns ? learn_unit(m, u, step) : all_of(m, &m->a);
        status = write_unit(m, u, &joined, out, err);
    }
    for (size_t p = 0; p < n && !status; p++)
        status = egc_frame_close(&readers[p], err);
    if (status || !relearns)
        return status;
    balance_parts(m, listed);
    m->knows = true;
    m->knows_since = step;
    return EGC_OK;
}

egc_status egc_merger_join(egc_merger *m, uint64_t step, const egc_buf *parts, size_t n_parts,
                           egc_buf *out, egc_error *err)
{
    egc_buf listed = {0};
    egc_reader *readers = egc_calloc(n_parts, sizeof *readers);
    egc_status status =
        readers ? begin(m, out, err) : egc_fail_memory(err, n_parts * sizeof *readers);
    for (size_t p = 0; p < n_parts && !status; p++)
        status = open_frame(m, EGC_ROUND_MERGED, &parts[p], &readers[p], err);
    if (!status)
        status = join_units(m, step, readers, n_parts, &listed, out, err);
    egc_buf_fini(&listed);
    egc_free(readers);
    return status;
}
