/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes in HDF5's single-writer mode (SWMR), which orders writes so that the file on disk is
 * consistent at all times. A step's gradients come first and its losses last: a reader counts as
 * many steps as there are losses. */
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
    uint64_t step;     /* current step */
    size_t n_recorded; /* workers recorded in the current step */
    bool *recorded;
    double *losses;
};

/* ---- limits ---------------------------------------------------------------------------------- */

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

/* ---- creating the file ----------------------------------------------------------------------- */

static void create_file(egc_trace_writer *writer)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    if (access > 0 && creation > 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0)
        writer->file.id = H5Fcreate(writer->path, H5F_ACC_TRUNC, creation, access);
    egc_hdf5_check(&writer->file, writer->file.id > 0, "create");
    egc_hdf5_release(creation);
    egc_hdf5_release(access);
}

static void put_note_text(egc_hdf5_file *file, const char *name, const char *text)
{
    if (text[0])
        egc_hdf5_put_text(file, name, text);
}

static void put_note_count(egc_hdf5_file *file, const char *name, int64_t count)
{
    if (count)
        egc_hdf5_put_int(file, name, count);
}

static void write_attributes(egc_hdf5_file *file, const char *model, const egc_trace_note *note)
{
    egc_hdf5_put_text(file, "format", EGC_TRACE_FORMAT);
    egc_hdf5_put_int(file, "version", EGC_TRACE_VERSION);
    egc_hdf5_put_text(file, "model", model);
    put_note_text(file, "dataset", note->dataset);
    put_note_text(file, "optimizer", note->optimizer);
    put_note_text(file, "source", note->source);
    put_note_count(file, "batch", note->batch);
    put_note_count(file, "every", note->every);
}

/* A data set without steps yet, whose first dimension grows. `item` is the shape of one step. */
static hid_t create_growing(egc_hdf5_file *file, const char *name, hid_t type, int rank,
                            const hsize_t *chunk, const hsize_t *item)
{
    if (file->status)
        return 0;
    hid_t out = 0;
    hsize_t now[EGC_HDF5_MAX_RANK] = {0}, most[EGC_HDF5_MAX_RANK] = {H5S_UNLIMITED};
    for (int d = 1; d < rank; d++)
        now[d] = most[d] = item[d];
    hid_t space = H5Screate_simple(rank, now, most);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (space > 0 && properties > 0 && H5Pset_chunk(properties, rank, chunk) >= 0 &&
        H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0 &&
        H5Pset_obj_track_times(properties, false) >= 0) /* the same recording, the same bytes */
        out = H5Dcreate2(file->id, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    egc_hdf5_check(file, out > 0, "write");
    egc_hdf5_release(properties);
    egc_hdf5_release(space);
    return out;
}

static void create_datasets(egc_trace_writer *writer)
{
    egc_hdf5_file *file = &writer->file;
    const hsize_t gradient[] = {1, 1, writer->n_params},
                  gradients[] = {1, writer->workers, writer->n_params},
                  losses[] = {1, writer->workers};
    writer->gradients = create_growing(file, "gradients", H5T_NATIVE_FLOAT, 3, gradient, gradients);
    writer->loss = create_growing(file, "loss", H5T_NATIVE_DOUBLE, 2, losses, losses);
    if (!file->status)
        egc_hdf5_check(file, H5Fstart_swmr_write(file->id) >= 0, "write");
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

egc_status egc_trace_writer_close(egc_trace_writer *writer, egc_error *err)
{
    if (!writer)
        return EGC_OK;
    egc_hdf5_begin(&writer->file, err);
    egc_hdf5_release(writer->loss);
    egc_hdf5_release(writer->gradients);
    if (writer->file.id > 0)
        egc_hdf5_check(&writer->file, H5Fclose(writer->file.id) >= 0, "close");
    egc_status status = writer->file.status;
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
    *writer = (egc_trace_writer){.n_params = n_params, .workers = workers};
    egc_hdf5_begin(&writer->file, err);
    writer->file.status = allocate(writer, path, err);
    if (!writer->file.status)
        create_file(writer);
    write_attributes(&writer->file, model, note);
    egc_trace_layers_write(&writer->file, layers, n_layers);
    create_datasets(writer);
    status = writer->file.status;
    if (!status) {
        *out = writer;
        return EGC_OK;
    }
    egc_status ignored = egc_trace_writer_close(writer, NULL); /* the first error is reported */
    (void)ignored;
    return status;
}

/* ---- recording ------------------------------------------------------------------------------- */

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

static void write_gradient(egc_trace_writer *writer, size_t worker, const float *gradient)
{
    const hsize_t steps[] = {writer->step + 1, writer->workers, writer->n_params};
    const hsize_t at[] = {writer->step, worker, 0};
    size_t bytes = writer->n_params * sizeof *gradient;
    bool ok = writer->n_recorded > 0 || H5Dset_extent(writer->gradients, steps) >= 0;
    ok = ok && H5Dwrite_chunk(writer->gradients, H5P_DEFAULT, 0, at, bytes, gradient) >= 0;
    egc_hdf5_check(&writer->file, ok, "write");
}

/* Two flushes, so that the losses never reach the disk before the gradients they count. */
static void complete_step(egc_trace_writer *writer)
{
    const hsize_t steps[] = {writer->step + 1, writer->workers}, at[] = {writer->step, 0};
    size_t bytes = writer->workers * sizeof *writer->losses;
    bool ok = H5Dflush(writer->gradients) >= 0 && H5Dset_extent(writer->loss, steps) >= 0 &&
              H5Dwrite_chunk(writer->loss, H5P_DEFAULT, 0, at, bytes, writer->losses) >= 0 &&
              H5Fflush(writer->file.id, H5F_SCOPE_LOCAL) >= 0;
    if (!egc_hdf5_check(&writer->file, ok, "write"))
        return;
    memset(writer->recorded, 0, writer->workers * sizeof *writer->recorded);
    writer->n_recorded = 0;
    writer->step++;
}

egc_status egc_trace_writer_append(egc_trace_writer *writer, uint64_t step, size_t worker,
                                   const float *gradient, double loss, egc_error *err)
{
    egc_status status = check_order(writer, step, worker, err);
    if (status)
        return status;
    egc_hdf5_begin(&writer->file, err);
    write_gradient(writer, worker, gradient);
    if (writer->file.status)
        return writer->file.status;
    writer->recorded[worker] = true;
    writer->losses[worker] = loss;
    if (++writer->n_recorded == writer->workers)
        complete_step(writer);
    return writer->file.status;
}
