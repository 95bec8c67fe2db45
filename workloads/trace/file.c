/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/trace/file.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "workloads/trace/layers.h"
#include "workloads/trace/signature.h"

/* ---- attributes ----------------------------------------------------------------------------- */

static egc_status check_identity(const egc_hdf5_file *file, egc_error *err)
{
    char format[EGC_TEXT_LENGTH];
    int64_t version;
    bool labelled;
    egc_status status = egc_hdf5_has_attribute(file, "format", &labelled, err);
    if (status)
        return status;
    if (!labelled)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: not a trace: no attribute \"format\"",
                        file->path);
    status = egc_hdf5_get_text(file, "format", format, sizeof format, err);
    if (status)
        return status;
    if (strcmp(format, EGC_TRACE_FORMAT) != 0)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "%s: not a trace: format must be \"" EGC_TRACE_FORMAT "\", got \"%s\"",
                        file->path, format);
    status = egc_hdf5_get_int(file, "version", &version, err);
    if (!status && version != EGC_TRACE_VERSION)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: trace version must be %d, got %lld", file->path,
                        EGC_TRACE_VERSION, (long long)version);
    return status;
}

static egc_status read_note_text(const egc_hdf5_file *file, const char *name, char *out,
                                 egc_error *err)
{
    bool given;
    egc_status status = egc_hdf5_has_attribute(file, name, &given, err);
    if (!status && given)
        status = egc_hdf5_get_text(file, name, out, EGC_TEXT_LENGTH, err);
    return status;
}

static egc_status read_note_count(const egc_hdf5_file *file, const char *name, int64_t *out,
                                  egc_error *err)
{
    bool given;
    egc_status status = egc_hdf5_has_attribute(file, name, &given, err);
    if (!status && given)
        status = egc_hdf5_get_int(file, name, out, err);
    if (!status && *out < 0)
        status =
            egc_fail(err, EGC_ERROR_FORMAT, "%s: attribute \"%s\" must be at least 0, got %lld",
                     file->path, name, (long long)*out);
    return status;
}

static egc_status read_note(const egc_hdf5_file *file, egc_trace_note *note, egc_error *err)
{
    egc_status status = read_note_text(file, "dataset", note->dataset, err);
    if (!status)
        status = read_note_text(file, "optimizer", note->optimizer, err);
    if (!status)
        status = read_note_text(file, "source", note->source, err);
    if (!status)
        status = read_note_count(file, "batch", &note->batch, err);
    if (!status)
        status = read_note_count(file, "every", &note->every, err);
    return status;
}

/* ---- gradients and loss --------------------------------------------------------------------- */

static egc_status count_params(egc_trace_file *trace, egc_error *err)
{
    for (size_t i = 0; i < trace->n_layers; i++)
        if (__builtin_add_overflow(trace->n_params, trace->layers[i].count, &trace->n_params))
            return egc_fail(err, EGC_ERROR_FORMAT, "%s: layers hold too many parameters to count",
                            trace->path);
    return EGC_OK;
}

static egc_status check_gradients(egc_trace_file *trace, egc_error *err)
{
    const egc_hdf5_dataset *gradients = &trace->gradients;
    if (gradients->class != H5T_FLOAT || gradients->item_bytes != sizeof(float) ||
        gradients->rank != 3)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "%s: gradients must be float32 [steps, workers, parameters]", trace->path);
    if (gradients->dims[2] != trace->n_params)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "%s: layers hold %zu parameters in all, gradients have %llu", trace->path,
                        trace->n_params, (unsigned long long)gradients->dims[2]);
    if (gradients->dims[1] == 0)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: gradients of 0 workers", trace->path);
    trace->steps = gradients->dims[0];
    trace->workers = gradients->dims[1];
    return EGC_OK;
}

/* True when H5Dread_chunk gives just what the caller wants: no filter, no conversion, no cut. */
static bool is_plain(const egc_trace_file *trace, hid_t properties)
{
    hid_t type = H5Dget_type(trace->gradients.id);
    bool plain = type > 0 && H5Tequal(type, H5T_NATIVE_FLOAT) > 0 &&
                 H5Pget_nfilters(properties) == 0 && trace->chunk[0] == 1 && trace->chunk[1] == 1 &&
                 trace->chunk[2] == trace->n_params;
    egc_hdf5_release(type);
    return plain;
}

static egc_status check_layout(egc_trace_file *trace, egc_error *err)
{
    egc_status status = EGC_OK;
    H5D_space_status_t space = H5D_SPACE_STATUS_ALLOCATED;
    hid_t properties = H5Dget_create_plist(trace->gradients.id);
    H5D_layout_t layout = properties > 0 ? H5Pget_layout(properties) : H5D_LAYOUT_ERROR;
    if (layout == H5D_CHUNKED && H5Pget_chunk(properties, EGC_HDF5_MAX_RANK, trace->chunk) == 3)
        trace->whole_chunks = is_plain(trace, properties);
    else if (layout != H5D_CONTIGUOUS)
        status = egc_fail(err, EGC_ERROR_FORMAT, "%s: gradients must be chunked or contiguous",
                          trace->path);
    else if (H5Dget_space_status(trace->gradients.id, &space) < 0)
        status = egc_hdf5_fail(&trace->file, "read", err);
    else if (space != H5D_SPACE_STATUS_ALLOCATED && trace->steps > 0)
        status = egc_fail(err, EGC_ERROR_FORMAT, "%s: gradients were never written", trace->path);
    egc_hdf5_release(properties);
    return status;
}

static egc_status open_gradients(egc_trace_file *trace, egc_error *err)
{
    egc_status status = egc_hdf5_open_dataset(&trace->file, "gradients", &trace->gradients, err);
    if (!status)
        status = check_gradients(trace, err);
    if (!status)
        status = check_layout(trace, err);
    return status;
}

/* A writer adds a step's losses after its last gradient, so the losses count complete steps. */
static egc_status open_loss(egc_trace_file *trace, egc_error *err)
{
    bool given;
    egc_status status = egc_hdf5_has_dataset(&trace->file, "loss", &given, err);
    if (status || !given)
        return status;
    status = egc_hdf5_open_dataset(&trace->file, "loss", &trace->loss, err);
    if (status)
        return status;
    const egc_hdf5_dataset *loss = &trace->loss;
    if (loss->class != H5T_FLOAT || loss->rank != 2 || loss->dims[1] != trace->workers)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: loss must be floats [steps, %zu workers]",
                        trace->path, trace->workers);
    if (loss->dims[0] < trace->steps)
        trace->steps = loss->dims[0];
    return EGC_OK;
}

/* ---- opening and closing -------------------------------------------------------------------- */

/* A file whose writer was killed, or is at work, opens for SWMR readers only. Those repeat a read
 * that fails its checksum, by default 100 times, each wait twice as long as the last: damage would
 * hang. 20 times is a millisecond in all. */
static bool allow_unfinished(hid_t access)
{
    enum { ATTEMPTS = 20 };
    return H5Pset_metadata_read_attempts(access, ATTEMPTS) >= 0;
}

static egc_status open_hdf5(egc_trace_file *trace, egc_error *err)
{
    bool recording;
    egc_status status = egc_trace_signature_check(trace->path, &recording, err);
    if (status)
        return status;
    unsigned flags = H5F_ACC_RDONLY | (recording ? H5F_ACC_SWMR_READ : 0);
    trace->file.path = trace->path;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access > 0 && (!recording || allow_unfinished(access)))
        trace->file.id = H5Fopen(trace->path, flags, access);
    if (trace->file.id <= 0)
        status = egc_hdf5_fail(&trace->file, "open", err);
    egc_hdf5_release(access);
    return status;
}

static egc_status load(egc_trace_file *trace, egc_error *err)
{
    egc_status status = check_identity(&trace->file, err);
    if (!status)
        status = egc_hdf5_get_text(&trace->file, "model", trace->model, sizeof trace->model, err);
    if (!status)
        status = read_note(&trace->file, &trace->note, err);
    if (!status)
        status = egc_trace_layers_read(&trace->file, &trace->layers, &trace->n_layers, err);
    if (!status)
        status = count_params(trace, err);
    if (!status)
        status = open_gradients(trace, err);
    if (!status)
        status = open_loss(trace, err);
    if (!status && trace->steps == 0)
        status = egc_fail(err, EGC_ERROR_FORMAT, "%s: holds no complete step", trace->path);
    return status;
}

egc_status egc_trace_file_open(const char *path, egc_trace_file *out, egc_error *err)
{
    egc_hdf5_quiet();
    *out = (egc_trace_file){.path = egc_strdup(path)};
    if (!out->path)
        return egc_fail_memory(err, strlen(path) + 1);
    egc_status status = open_hdf5(out, err);
    if (!status)
        status = load(out, err);
    if (status)
        egc_trace_file_close(out);
    return status;
}

void egc_trace_file_close(egc_trace_file *trace)
{
    egc_hdf5_release(trace->loss.id);
    egc_hdf5_release(trace->gradients.id);
    egc_hdf5_release(trace->file.id);
    egc_free(trace->layers);
    egc_free(trace->path);
    *trace = (egc_trace_file){0};
}

/* ---- reading -------------------------------------------------------------------------------- */

/* HDF5 gives zeros for a chunk that was never written; a trace must not. */
static egc_status check_written(egc_trace_file *trace, uint64_t step, size_t worker, egc_error *err)
{
    if (trace->chunk[0] == 0)
        return EGC_OK;
    hsize_t at[] = {step / trace->chunk[0] * trace->chunk[0],
                    worker / trace->chunk[1] * trace->chunk[1], 0};
    for (; at[2] < trace->n_params; at[2] += trace->chunk[2]) {
        hsize_t bytes = 0;
        if (H5Dget_chunk_storage_size(trace->gradients.id, at, &bytes) < 0 || bytes == 0)
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "%s: no gradient of worker %zu at step %llu (never written, or the "
                            "file is damaged)",
                            trace->path, worker, (unsigned long long)step);
        if (trace->whole_chunks && bytes != trace->n_params * sizeof(float))
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "%s: the gradient of worker %zu at step %llu must be %zu bytes, got "
                            "%llu",
                            trace->path, worker, (unsigned long long)step,
                            trace->n_params * sizeof(float), (unsigned long long)bytes);
    }
    return EGC_OK;
}

static egc_status read_selected(const egc_trace_file *trace, const egc_hdf5_dataset *dataset,
                                const hsize_t *start, const hsize_t *count, hid_t memory_type,
                                void *out, egc_error *err)
{
    hid_t memory = 0;
    hid_t space = H5Dget_space(dataset->id);
    bool ok =
        space > 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
    if (ok) {
        memory = H5Screate_simple(dataset->rank, count, NULL);
        ok = memory > 0 && H5Dread(dataset->id, memory_type, memory, space, H5P_DEFAULT, out) >= 0;
    }
    egc_status status = ok ? EGC_OK : egc_hdf5_fail(&trace->file, "read", err);
    egc_hdf5_release(memory);
    egc_hdf5_release(space);
    return status;
}

static egc_status read_gradient(egc_trace_file *trace, uint64_t step, size_t worker,
                                float *gradient, egc_error *err)
{
    hsize_t start[] = {step, worker, 0}, count[] = {1, 1, trace->n_params};
    if (!trace->whole_chunks)
        return read_selected(trace, &trace->gradients, start, count, H5T_NATIVE_FLOAT, gradient,
                             err);
    uint32_t filters;
    if (H5Dread_chunk(trace->gradients.id, H5P_DEFAULT, start, &filters, gradient) < 0)
        return egc_hdf5_fail(&trace->file, "read", err);
    return EGC_OK;
}

egc_status egc_trace_file_read(egc_trace_file *trace, uint64_t step, size_t worker, float *gradient,
                               double *loss, egc_error *err)
{
    egc_status status = check_written(trace, step, worker, err);
    if (!status)
        status = read_gradient(trace, step, worker, gradient, err);
    if (status || !loss)
        return status;
    *loss = NAN;
    if (trace->loss.id > 0)
        status = read_selected(trace, &trace->loss, (hsize_t[]){step, worker}, (hsize_t[]){1, 1},
                               H5T_NATIVE_DOUBLE, loss, err);
    return status;
}
