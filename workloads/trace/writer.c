/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file is kept in HDF5's single-writer mode, which orders its writes so that what is on disk
 * is consistent at all times. A step's gradients come first and its losses last: a reader counts
 * as many steps as there are losses. */
#include "workloads/trace/writer.h"

#include <string.h>

#include "base/mem.h"
#include "workloads/trace/hdf5.h"
#include "workloads/trace/layers.h"

struct egc_trace_writer {
    char *path;
    egc_hdf5_file file;
    hid_t gradients, loss;
    size_t n_params, workers;
    uint64_t step;     /* the one being recorded */
    size_t n_recorded; /* workers of this step */
    bool *recorded;
    double *losses;
};

/* ---- what can be recorded ------------------------------------------------------------------- */

static egc_status check_layers(const egc_layer *layers, size_t n_layers, size_t *n_params,
                               egc_error *err)
{
    size_t total = 0;
    if (n_layers < 1 || n_layers > EGC_TRACE_MAX_LAYERS)
        return egc_fail(err, EGC_ERROR_RANGE, "a trace must have 1 to %d layers, got %zu",
                        EGC_TRACE_MAX_LAYERS, n_layers);
    for (size_t i = 0; i < n_layers; i++)
        if (layers[i].count < 1 || __builtin_add_overflow(total, layers[i].count, &total) ||
            total > EGC_TRACE_MAX_PARAMS)
            return egc_fail(err, EGC_ERROR_RANGE,
                            "a trace must have 1 to %d parameters (a gradient is one HDF5 chunk "
                            "of less than 4 GiB); layer %zu has %zu, those before it %zu",
                            EGC_TRACE_MAX_PARAMS, i, layers[i].count,
                            total > layers[i].count ? total - layers[i].count : total);
    *n_params = total;
    return EGC_OK;
}

/* ---- creating the file ---------------------------------------------------------------------- */

static egc_status create_file(egc_trace_writer *writer, egc_error *err)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    if (access > 0 && creation > 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0)
        writer->file.id = H5Fcreate(writer->path, H5F_ACC_TRUNC, creation, access);
    egc_status status = writer->file.id > 0 ? EGC_OK : egc_hdf5_fail(&writer->file, "create", err);
    egc_hdf5_release(creation);
    egc_hdf5_release(access);
    return status;
}

static egc_status put_note_text(const egc_hdf5_file *file, const char *name, const char *text,
                                egc_error *err)
{
    return text[0] ? egc_hdf5_put_text(file, name, text, err) : EGC_OK;
}

static egc_status put_note_count(const egc_hdf5_file *file, const char *name, int64_t count,
                                 egc_error *err)
{
    return count ? egc_hdf5_put_int(file, name, count, err) : EGC_OK;
}

static egc_status write_attributes(const egc_hdf5_file *file, const char *model,
                                   const egc_trace_note *note, egc_error *err)
{
    egc_status status = egc_hdf5_put_text(file, "format", EGC_TRACE_FORMAT, err);
    if (!status)
        status = egc_hdf5_put_int(file, "version", EGC_TRACE_VERSION, err);
    if (!status)
        status = egc_hdf5_put_text(file, "model", model, err);
    if (!status)
        status = put_note_text(file, "dataset", note->dataset, err);
    if (!status)
        status = put_note_text(file, "optimizer", note->optimizer, err);
    if (!status)
        status = put_note_text(file, "source", note->source, err);
    if (!status)
        status = put_note_count(file, "batch", note->batch, err);
    if (!status)
        status = put_note_count(file, "every", note->every, err);
    return status;
}

/* A data set without steps yet, whose first dimension grows. */
static egc_status create_growing(const egc_hdf5_file *file, const char *name, hid_t type, int rank,
                                 const hsize_t *chunk, const hsize_t *item, hid_t *out,
                                 egc_error *err)
{
    hsize_t now[EGC_HDF5_MAX_RANK] = {0}, most[EGC_HDF5_MAX_RANK] = {H5S_UNLIMITED};
    for (int d = 1; d < rank; d++)
        now[d] = most[d] = item[d];
    hid_t space = H5Screate_simple(rank, now, most);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (space > 0 && properties > 0 && H5Pset_chunk(properties, rank, chunk) >= 0 &&
        H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0 &&
        H5Pset_obj_track_times(properties, false) >= 0) /* the same recording, the same bytes */
        *out = H5Dcreate2(file->id, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    egc_status status = *out > 0 ? EGC_OK : egc_hdf5_fail(file, "write", err);
    egc_hdf5_release(properties);
    egc_hdf5_release(space);
    return status;
}

static egc_status create_datasets(egc_trace_writer *writer, egc_error *err)
{
    hsize_t gradients[] = {1, 1, writer->n_params},
            of_step[] = {1, writer->workers, writer->n_params};
    egc_status status = create_growing(&writer->file, "gradients", H5T_NATIVE_FLOAT, 3, gradients,
                                       of_step, &writer->gradients, err);
    hsize_t losses[] = {1, writer->workers};
    if (!status)
        status = create_growing(&writer->file, "loss", H5T_NATIVE_DOUBLE, 2, losses, losses,
                                &writer->loss, err);
    if (!status && H5Fstart_swmr_write(writer->file.id) < 0)
        status = egc_hdf5_fail(&writer->file, "write", err);
    return status;
}

static egc_status allocate(egc_trace_writer *writer, const char *path, egc_error *err)
{
    writer->path = egc_strdup(path);
    writer->recorded = egc_calloc(writer->workers, sizeof *writer->recorded);
    writer->losses = egc_calloc(writer->workers, sizeof *writer->losses);
    writer->file.path = writer->path;
    if (!writer->path || !writer->recorded || !writer->losses)
        return egc_fail_memory(err, writer->workers * sizeof *writer->losses);
    return EGC_OK;
}

/* Closes and frees. */
static egc_status finish(egc_trace_writer *writer, egc_error *err)
{
    egc_hdf5_release(writer->loss);
    egc_hdf5_release(writer->gradients);
    egc_status status = EGC_OK;
    if (writer->file.id > 0 && H5Fclose(writer->file.id) < 0)
        status = egc_hdf5_fail(&writer->file, "close", err);
    egc_free(writer->losses);
    egc_free(writer->recorded);
    egc_free(writer->path);
    egc_free(writer);
    return status;
}

egc_status egc_trace_writer_new(const char *path, const char *model, const egc_layer *layers,
                                size_t n_layers, size_t workers, const egc_trace_note *note,
                                egc_trace_writer **out, egc_error *err)
{
    size_t n_params = 0;
    egc_status status = check_layers(layers, n_layers, &n_params, err);
    if (status)
        return status;
    if (workers < 1)
        return egc_fail(err, EGC_ERROR_RANGE, "a trace must have at least 1 worker, got 0");
    egc_trace_writer *writer = egc_calloc(1, sizeof *writer);
    if (!writer)
        return egc_fail_memory(err, sizeof *writer);
    egc_hdf5_quiet();
    *writer = (egc_trace_writer){.n_params = n_params, .workers = workers};
    status = allocate(writer, path, err);
    if (!status)
        status = create_file(writer, err);
    if (!status)
        status = write_attributes(&writer->file, model, note, err);
    if (!status)
        status = egc_trace_layers_write(&writer->file, layers, n_layers, err);
    if (!status)
        status = create_datasets(writer, err);
    if (status)
        finish(writer, NULL); /* the first reason is the one to report */
    else
        *out = writer;
    return status;
}

/* ---- recording ------------------------------------------------------------------------------ */

static egc_status check_order(const egc_trace_writer *writer, uint64_t step, size_t worker,
                              egc_error *err)
{
    if (step != writer->step)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "%s: step must be %llu, of which %zu of %zu workers are recorded, got %llu",
                        writer->path, (unsigned long long)writer->step, writer->n_recorded,
                        writer->workers, (unsigned long long)step);
    if (worker >= writer->workers)
        return egc_fail(err, EGC_ERROR_RANGE, "%s: worker must be below %zu, got %zu", writer->path,
                        writer->workers, worker);
    if (writer->recorded[worker])
        return egc_fail(err, EGC_ERROR_RANGE, "%s: worker %zu of step %llu is recorded already",
                        writer->path, worker, (unsigned long long)step);
    return EGC_OK;
}

static egc_status write_gradient(egc_trace_writer *writer, size_t worker, const float *gradient,
                                 egc_error *err)
{
    hsize_t steps[] = {writer->step + 1, writer->workers, writer->n_params};
    hsize_t at[] = {writer->step, worker, 0};
    size_t bytes = writer->n_params * sizeof *gradient;
    if ((writer->n_recorded == 0 && H5Dset_extent(writer->gradients, steps) < 0) ||
        H5Dwrite_chunk(writer->gradients, H5P_DEFAULT, 0, at, bytes, gradient) < 0)
        return egc_hdf5_fail(&writer->file, "write", err);
    return EGC_OK;
}

/* Two flushes, so that the losses never reach the disk before the gradients they count. */
static egc_status complete_step(egc_trace_writer *writer, egc_error *err)
{
    hsize_t steps[] = {writer->step + 1, writer->workers}, at[] = {writer->step, 0};
    size_t bytes = writer->workers * sizeof *writer->losses;
    if (H5Dflush(writer->gradients) < 0 || H5Dset_extent(writer->loss, steps) < 0 ||
        H5Dwrite_chunk(writer->loss, H5P_DEFAULT, 0, at, bytes, writer->losses) < 0 ||
        H5Fflush(writer->file.id, H5F_SCOPE_LOCAL) < 0)
        return egc_hdf5_fail(&writer->file, "write", err);
    memset(writer->recorded, 0, writer->workers * sizeof *writer->recorded);
    writer->n_recorded = 0;
    writer->step++;
    return EGC_OK;
}

egc_status egc_trace_writer_append(egc_trace_writer *writer, uint64_t step, size_t worker,
                                   const float *gradient, double loss, egc_error *err)
{
    egc_status status = check_order(writer, step, worker, err);
    if (!status)
        status = write_gradient(writer, worker, gradient, err);
    if (status)
        return status;
    writer->recorded[worker] = true;
    writer->losses[worker] = loss;
    writer->n_recorded++;
    return writer->n_recorded == writer->workers ? complete_step(writer, err) : EGC_OK;
}

egc_status egc_trace_writer_close(egc_trace_writer *writer, egc_error *err)
{
    return writer ? finish(writer, err) : EGC_OK;
}
