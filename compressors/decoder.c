/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The receiving side: sums of decoded messages, and the learning-rate correction. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compressors/message.h"
#include "compressors/method.h"
#include "compressors/sparse.h"
#include "compressors/workspace.h"

extern const egc_compressor_type egc_compressor_none;

/* What the decoder remembers of a unit. */
typedef struct unit_memory {
    double sent;     /* elements in the messages since the last correction */
    double messages; /* how many messages */
    double density;  /* smoothed; NAN before the first step */
    double correction;
} unit_memory;

struct egc_decoder {
    egc_method method;
    double momentum;
    egc_unit *units;
    unit_memory *memory;
    size_t n_units;
    egc_workspace *work; /* borrowed */
};

void egc_decoder_free(egc_decoder *decoder)
{
    if (!decoder)
        return;
    egc_free(decoder->units);
    egc_free(decoder->memory);
    egc_free(decoder);
}

egc_status egc_decoder_new(const egc_method *method, double momentum, const egc_unit *units,
                           size_t n_units, egc_workspace *workspace, egc_decoder **out,
                           egc_error *err)
{
    egc_decoder *d = egc_calloc(1, sizeof *d);
    if (!d)
        return egc_fail_memory(err, sizeof *d);
    *d = (egc_decoder){
        .method = *method, .momentum = momentum, .n_units = n_units, .work = workspace};
    d->units = egc_calloc(n_units, sizeof *d->units);
    d->memory = egc_calloc(n_units, sizeof *d->memory);
    if (!d->units || !d->memory) {
        egc_decoder_free(d);
        return egc_fail_memory(err, n_units * (sizeof *d->units + sizeof *d->memory));
    }
    memcpy(d->units, units, n_units * sizeof *units);
    for (size_t i = 0; i < n_units; i++)
        d->memory[i] = (unit_memory){.density = NAN, .correction = 1};
    *out = d;
    return EGC_OK;
}

static egc_status add_sparse(egc_decoder *d, size_t u, egc_reader *reader, float weight, float *sum,
                             egc_error *err)
{
    egc_selection selection = {.index = d->work->index, .value = d->work->value};
    egc_status status = egc_sparse_read(reader, &selection, d->units[u].count, err);
    if (status)
        return status;
    float *part = sum + d->units[u].first;
    for (size_t i = 0; i < selection.count; i++)
        part[selection.index[i]] += weight * selection.value[i];
    d->memory[u].sent += (double)selection.count;
    d->memory[u].messages++;
    return EGC_OK;
}

static egc_status add_unit(egc_decoder *d, size_t u, egc_reader *reader, float weight, float *sum,
                           egc_error *err)
{
    const egc_unit *unit = &d->units[u];
    const egc_compressor_type *type = d->method.compressor;
    bool dense = egc_unit_is_dense(&d->method, unit);
    if (!dense && type->select)
        return add_sparse(d, u, reader, weight, sum, err);
    const egc_compressor_type *coder = dense ? &egc_compressor_none : type;
    return coder->decode(d->method.params, reader, weight, sum + unit->first, unit->count, err);
}

static egc_status check_fingerprint(const egc_decoder *d, size_t first, size_t count,
                                    egc_reader *reader, egc_error *err)
{
    if (egc_method_is_linear(&d->method))
        return EGC_OK;
    const uint8_t *bytes;
    egc_status status = egc_reader_take(reader, 2, &bytes, err);
    if (status)
        return status;
    if ((bytes[0] | bytes[1] << 8) != egc_message_fingerprint(&d->method, &d->units[first], count))
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "message is not for method %s and %zu units from %s on",
                        d->method.compressor->name, count, d->units[first].name);
    return EGC_OK;
}

egc_status egc_decoder_add(egc_decoder *d, size_t first, size_t count, const void *message,
                           size_t bytes, float weight, float *sum, egc_error *err)
{
    egc_reader reader = egc_reader_of(message, bytes);
    egc_status status = check_fingerprint(d, first, count, &reader, err);
    for (size_t u = first; u < first + count && !status; u++) {
        status = add_unit(d, u, &reader, weight, sum, err);
        if (status)
            egc_error_prefix(err, "%s", d->units[u].name);
    }
    if (!status && egc_reader_left(&reader))
        status = egc_fail(err, EGC_ERROR_FORMAT, "%zu bytes are left after the last unit",
                          egc_reader_left(&reader));
    return status;
}

/* Without masking nothing is lost, and units sent dense are never masked: they count no messages
 * here. A unit of which nothing was ever sent has tau = infinity and c = 1. */
static void correct_unit(egc_decoder *d, size_t u, float *sum)
{
    unit_memory *memory = &d->memory[u];
    if (memory->messages == 0)
        return;
    double smoothing = isnan(memory->density) ? 0 : d->method.options.lr_smoothing;
    double density = memory->sent / memory->messages / (double)d->units[u].count;
    memory->density = (smoothing > 0 ? smoothing * memory->density : 0) + (1 - smoothing) * density;
    memory->sent = memory->messages = 0;
    memory->correction =
        memory->density > 0 ? egc_correction_factor(d->momentum, 1 / memory->density) : 1;
    for (size_t i = 0; i < d->units[u].count; i++)
        sum[d->units[u].first + i] *= (float)memory->correction;
}

void egc_decoder_correct(egc_decoder *d, size_t first, size_t count, float *sum)
{
    const egc_method_options *options = &d->method.options;
    if (options->lr_correction == EGC_CORRECTION_NONE || !options->masking ||
        !egc_method_has_momentum(&d->method))
        return;
    for (size_t u = first; u < first + count; u++)
        correct_unit(d, u, sum);
}

double egc_decoder_correction(const egc_decoder *decoder, size_t unit)
{
    return decoder->memory[unit].correction;
}
