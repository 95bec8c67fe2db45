/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads traces (README.md describes the format). Everything but the gradients and losses is read
 * and checked at opening; HDF5's checks are not enough, as it returns zeros for missing chunks. */
#include "workloads/trace/file.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "workloads/trace/layers.h"
#include "workloads/trace/signature.h"

/* ---- attributes ------------------------------------------------------------------------------ */

static void check_identity(egc_hdf5_file *file)
{
    char format[EGC_TEXT_LENGTH] = "";
    if (!egc_hdf5_has_attribute(file, "format"))
        egc_hdf5_refuse(file, "not a trace: no attribute \"format\"");
    egc_hdf5_get_text(file, "format", format, sizeof format);
    if (strcmp(format, EGC_TRACE_FORMAT) != 0)
        egc_hdf5_refuse(file, "not a trace: format must be \"" EGC_TRACE_FORMAT "\", got \"%s\"",
                        format);
    int64_t version = egc_hdf5_get_int(file, "version");
    if (version != EGC_TRACE_VERSION)
        egc_hdf5_refuse(file, "trace version must be %d, got %lld", EGC_TRACE_VERSION,
                        (long long)version);
}

static void read_note_text(egc_hdf5_file *file, const char *name, char *out)
{
    if (egc_hdf5_has_attribute(file, name))
        egc_hdf5_get_text(file, name, out, EGC_TEXT_LENGTH);
}

static int64_t read_note_count(egc_hdf5_file *file, const char *name)
{
    int64_t count = egc_hdf5_has_attribute(file, name) ? egc_hdf5_get_int(file, name) : 0;
    if (count < 0)
        egc_hdf5_refuse(file, "attribute \"%s\" must be at least 0, got %lld", name,
                        (long long)count);
    return count;
}

static void read_attributes(egc_trace_file *trace)
{
    egc_hdf5_file *file = &trace->file;
    check_identity(file);
    egc_hdf5_get_text(file, "model", trace->model, sizeof trace->model);
    read_note_text(file, "dataset", trace->note.dataset);
    read_note_text(file, "optimizer", trace->note.optimizer);
    read_note_text(file, "source", trace->note.source);
    trace->note.batch = read_note_count(file, "batch");
    trace->note.every = read_note_count(file, "every");
}

/* ---- gradients and loss ---------------------------------------------------------------------- */

static void read_layers(egc_trace_file *trace)
{
    egc_trace_layers_read(&trace->file, &trace->layers, &trace->n_layers);
    for (size_t i = 0; i < trace->n_layers && !trace->file.status; i++)
        if (__builtin_add_overflow(trace->n_params, trace->layers[i].count, &trace->n_params))
            egc_hdf5_refuse(&trace->file, "layers hold too many parameters to count");
}

static void check_gradients(egc_trace_file *trace)
{
    const egc_hdf5_dataset *gradients = &trace->gradients;
    if (gradients->class != H5T_FLOAT || gradients->item_bytes != sizeof(float) ||
        gradients->rank != 3)
        egc_hdf5_refuse(&trace->file, "gradients must be float32 [steps, workers, parameters]");
    if (gradients->dims[2] != trace->n_params)
        egc_hdf5_refuse(&trace->file, "layers hold %zu parameters in all, gradients have %llu",
                        trace->n_params, (unsigned long long)gradients->dims[2]);
    if (gradients->dims[1] == 0)
        egc_hdf5_refuse(&trace->file, "gradients of 0 workers");
    trace->steps = gradients->dims[0];
    trace->workers = gradients->dims[1];
}

/* True when H5Dread_chunk gives a gradient as the caller wants it: without filter, conversion or
 * parts of other gradients. */
static bool is_plain(const egc_trace_file *trace, hid_t properties)
{
    hid_t type = H5Dget_type(trace->gradients.id);
    bool plain = type > 0 && H5Tequal(type, H5T_NATIVE_FLOAT) > 0 &&
                 H5Pget_nfilters(properties) == 0 && trace->chunk[0] == 1 && trace->chunk[1] == 1 &&
                 trace->chunk[2] == trace->n_params;
    egc_hdf5_release(type);
    return plain;
}

static void check_layout(egc_trace_file *trace)
{
    if (trace->file.status)
        return;
    H5D_space_status_t space = H5D_SPACE_STATUS_ALLOCATED;
    hid_t properties = H5Dget_create_plist(trace->gradients.id);
    H5D_layout_t layout = properties > 0 ? H5Pget_layout(properties) : H5D_LAYOUT_ERROR;
    if (layout == H5D_CHUNKED && H5Pget_chunk(properties, EGC_HDF5_MAX_RANK, trace->chunk) == 3)
        trace->whole_chunks = is_plain(trace, properties);
    else if (layout != H5D_CONTIGUOUS)
        egc_hdf5_refuse(&trace->file, "gradients must be chunked or contiguous");
    else if (egc_hdf5_check(&trace->file, H5Dget_space_status(trace->gradients.id, &space) >= 0,
                            "read") &&
             space != H5D_SPACE_STATUS_ALLOCATED && trace->steps > 0)
        egc_hdf5_refuse(&trace->file, "gradients were never written");
    egc_hdf5_release(properties);
}

/* A writer adds a step's losses after its last gradient, so the losses count complete steps. */
static void open_loss(egc_trace_file *trace)
{
    if (!egc_hdf5_has_dataset(&trace->file, "loss"))
        return;
    trace->loss = egc_hdf5_open_dataset(&trace->file, "loss");
    const egc_hdf5_dataset *loss = &trace->loss;
    if (loss->class != H5T_FLOAT || loss->rank != 2 || loss->dims[1] != trace->workers)
        egc_hdf5_refuse(&trace->file, "loss must be floats [steps, %zu workers]", trace->workers);
    if (loss->dims[0] < trace->steps)
        trace->steps = loss->dims[0];
}

/* ---- opening and closing --------------------------------------------------------------------- */

/* A file whose writer was killed, or is at work, opens for SWMR readers only. Those repeat a read
 * that fails its checksum, by default 100 times, each wait twice as long as the last: on a damaged
 * file they would hang. 20 times take a millisecond in all. */
static bool allow_unfinished(hid_t access)
{
    enum { ATTEMPTS = 20 };
    return H5Pset_metadata_read_attempts(access, ATTEMPTS) >= 0;
}

static void open_hdf5(egc_trace_file *trace, egc_error *err)
{
    bool recording;
    trace->file.path = trace->path;
    trace->file.status = egc_trace_signature_check(trace->path, &recording, err);
    if (trace->file.status)
        return;
    unsigned flags = H5F_ACC_RDONLY | (recording ? H5F_ACC_SWMR_READ : 0);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access > 0 && (!recording || allow_unfinished(access)))
        trace->file.id = H5Fopen(trace->path, flags, access);
    egc_hdf5_check(&trace->file, trace->file.id > 0, "open");
    egc_hdf5_release(access);
}

static void load(egc_trace_file *trace)
{
    read_attributes(trace);
    read_layers(trace);
    trace->gradients = egc_hdf5_open_dataset(&trace->file, "gradients");
    check_gradients(trace);
    check_layout(trace);
    open_loss(trace);
    if (trace->steps == 0)
        egc_hdf5_refuse(&trace->file, "holds no complete step");
}

egc_status egc_trace_file_open(const char *path, egc_trace_file *out, egc_error *err)
{
    *out = (egc_trace_file){.path = egc_strdup(path)};
    if (!out->path)
        return egc_fail_memory(err, strlen(path) + 1);
    egc_hdf5_begin(&out->file, err);
    open_hdf5(out, err);
    load(out);
    egc_status status = out->file.status;
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

/* ---- reading --------------------------------------------------------------------------------- */

/* HDF5 gives zeros for a chunk that was never written, which would pass for a gradient. */
static void check_written(egc_trace_file *trace, uint64_t step, size_t worker)
{
    if (trace->chunk[0] == 0)
        return;
    hsize_t at[] = {step / trace->chunk[0] * trace->chunk[0],
                    worker / trace->chunk[1] * trace->chunk[1], 0};
    for (; at[2] < trace->n_params && !trace->file.status; at[2] += trace->chunk[2]) {
        hsize_t bytes = 0;
        if (H5Dget_chunk_storage_size(trace->gradients.id, at, &bytes) < 0 || bytes == 0)
            egc_hdf5_refuse(&trace->file,
                            "no gradient of worker %zu at step %llu (never written, or the file is "
                            "damaged)",
                            worker, (unsigned long long)step);
        else if (trace->whole_chunks && bytes != trace->n_params * sizeof(float))
            egc_hdf5_refuse(&trace->file,
                            "the gradient of worker %zu at step %llu must be %zu bytes, got %llu",
                            worker, (unsigned long long)step, trace->n_params * sizeof(float),
                            (unsigned long long)bytes);
    }
}

static void read_gradient(egc_trace_file *trace, uint64_t step, size_t worker, float *gradient)
{
    const hsize_t start[] = {step, worker, 0}, count[] = {1, 1, trace->n_params};
    uint32_t filters;
    if (!trace->whole_chunks)
        egc_hdf5_read(&trace->file, &trace->gradients, start, count, H5T_NATIVE_FLOAT, gradient);
    else if (!trace->file.status)
        egc_hdf5_check(&trace->file,
                       H5Dread_chunk(trace->gradients.id, H5P_DEFAULT, start, &filters, gradient) >=
                           0,
                       "read");
}

egc_status egc_trace_file_read(egc_trace_file *trace, uint64_t step, size_t worker, float *gradient,
                               double *loss, egc_error *err)
{
    egc_hdf5_begin(&trace->file, err);
    check_written(trace, step, worker);
    read_gradient(trace, step, worker, gradient);
    if (loss)
        *loss = NAN;
    if (loss && trace->loss.id > 0)
        egc_hdf5_read(&trace->file, &trace->loss, (hsize_t[]){step, worker}, (hsize_t[]){1, 1},
                      H5T_NATIVE_DOUBLE, loss);
    return trace->file.status;
}

/* ---- samples -------------------------------------------------------------------------------- */

size_t egc_trace_file_samples(const egc_trace_file *trace)
{
    uint64_t total = trace->steps * trace->workers;
    return total < EGC_TRACE_SAMPLES ? (size_t)total : EGC_TRACE_SAMPLES;
}

void egc_trace_file_sample(const egc_trace_file *trace, size_t i, uint64_t *step, size_t *worker)
{
    size_t n = egc_trace_file_samples(trace);
    double last = (double)(trace->steps * trace->workers - 1);
    uint64_t at = n > 1 ? (uint64_t)(last * (double)i / (double)(n - 1)) : 0;
    *step = at / trace->workers;
    *worker = (size_t)(at % trace->workers);
}
