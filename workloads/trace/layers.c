/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/trace/layers.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "workloads/trace/format.h"

/* The numbers of a layer that are stored as columns of doubles. */
static const struct column {
    const char *name;
    size_t offset;
    bool optional; /* and then NAN means unknown */
} columns[] = {
    {"layers/forward_flops", offsetof(egc_layer, forward_flops), false},
    {"layers/backward_flops", offsetof(egc_layer, backward_flops), false},
    {"layers/forward_s", offsetof(egc_layer, forward_s), true},
    {"layers/backward_s", offsetof(egc_layer, backward_s), true},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static double *field_of(egc_layer *layer, const struct column *column)
{
    return (double *)((char *)layer + column->offset);
}

/* ---- reading -------------------------------------------------------------------------------- */

static egc_status read_name_table(const egc_hdf5_file *file, const egc_hdf5_dataset *dataset,
                                  char *names, size_t room, egc_error *err)
{
    if (dataset->class != H5T_STRING || dataset->variable_text || dataset->rank != 1)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "%s: layers/name must be a list of fixed-length strings (in h5py: "
                        "numpy.array(names, dtype=\"S\"))",
                        file->path);
    hid_t stored = H5Dget_type(dataset->id);
    hid_t type = stored > 0 ? egc_hdf5_text_type(room, H5Tget_cset(stored)) : stored;
    egc_status status = type > 0 ? egc_hdf5_read(file, dataset, type, names, err)
                                 : egc_hdf5_fail(file, "read", err);
    egc_hdf5_release(type);
    egc_hdf5_release(stored);
    return status;
}

static egc_status take_names(const egc_hdf5_file *file, const char *names, size_t room,
                             egc_layer *layers, size_t n_layers, egc_error *err)
{
    for (size_t i = 0; i < n_layers; i++) {
        const char *name = names + i * room;
        size_t length = strlen(name);
        if (length == 0 || length >= EGC_LAYER_NAME || !egc_hdf5_printable(name))
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "%s: layers/name[%zu] must be printable text of 1 to %d bytes",
                            file->path, i, EGC_LAYER_NAME - 1);
        memcpy(layers[i].name, name, length + 1);
    }
    return EGC_OK;
}

/* Says how many layers there are, too: the names come first. */
static egc_status read_names(const egc_hdf5_file *file, egc_layer **layers, size_t *n_layers,
                             egc_error *err)
{
    enum { ROOM = EGC_LAYER_NAME + 1 }; /* one more than fits, so that a longer name shows */
    egc_hdf5_dataset dataset;
    egc_status status = egc_hdf5_open_dataset(file, "layers/name", &dataset, err);
    if (status)
        return status;
    char *names = NULL;
    hsize_t n = dataset.rank == 1 ? dataset.dims[0] : 1;
    if (n < 1 || n > EGC_TRACE_MAX_LAYERS) {
        status = egc_fail(err, EGC_ERROR_FORMAT, "%s: must have 1 to %d layers, got %llu",
                          file->path, EGC_TRACE_MAX_LAYERS, (unsigned long long)n);
        goto done;
    }
    names = egc_calloc(n, ROOM);
    *layers = egc_calloc(n, sizeof **layers);
    *n_layers = n;
    status = names && *layers ? read_name_table(file, &dataset, names, ROOM, err)
                              : egc_fail_memory(err, n * (sizeof **layers + ROOM));
    if (!status)
        status = take_names(file, names, ROOM, *layers, n, err);
done:
    egc_free(names);
    egc_hdf5_release(dataset.id);
    return status;
}

/* False when it is not dimensions of at least 1 followed by zeros, or holds too many items. */
static bool take_shape(egc_layer *layer, const uint64_t *dims, size_t n_dims)
{
    size_t used = 0;
    while (used < n_dims && dims[used] > 0)
        used++;
    layer->count = used ? 1 : 0;
    for (size_t d = 0; d < n_dims; d++) {
        if (d >= used && dims[d] != 0)
            return false;
        if (d < used && __builtin_mul_overflow(layer->count, dims[d], &layer->count))
            return false;
        layer->shape[d] = dims[d];
    }
    return used > 0;
}

static egc_status read_shapes(const egc_hdf5_file *file, egc_layer *layers, size_t n_layers,
                              egc_error *err)
{
    egc_hdf5_dataset dataset;
    uint64_t *dims = NULL;
    egc_status status = egc_hdf5_open_dataset(file, "layers/shape", &dataset, err);
    if (status)
        return status;
    size_t n_dims = dataset.dims[1];
    if (dataset.class != H5T_INTEGER || dataset.rank != 2 || dataset.dims[0] != n_layers ||
        n_dims < 1 || n_dims > EGC_LAYER_DIMS) {
        status = egc_fail(err, EGC_ERROR_FORMAT,
                          "%s: layers/shape must be integers [%zu layers, 1 to %d dimensions]",
                          file->path, n_layers, EGC_LAYER_DIMS);
        goto done;
    }
    dims = egc_calloc(n_layers * n_dims, sizeof *dims);
    status = dims ? egc_hdf5_read(file, &dataset, H5T_NATIVE_UINT64, dims, err)
                  : egc_fail_memory(err, n_layers * n_dims * sizeof *dims);
    for (size_t i = 0; !status && i < n_layers; i++)
        if (!take_shape(&layers[i], dims + i * n_dims, n_dims))
            status = egc_fail(err, EGC_ERROR_FORMAT,
                              "%s: layers/shape[%zu] must be dimensions of at least 1, padded "
                              "with zeros at the end",
                              file->path, i);
done:
    egc_free(dims);
    egc_hdf5_release(dataset.id);
    return status;
}

static bool is_cost(double value, bool optional)
{
    return isnan(value) ? optional : value >= 0 && isfinite(value);
}

static egc_status read_stored_column(const egc_hdf5_file *file, const struct column *column,
                                     egc_layer *layers, size_t n_layers, egc_error *err)
{
    egc_hdf5_dataset dataset;
    double *values = NULL;
    egc_status status = egc_hdf5_open_dataset(file, column->name, &dataset, err);
    if (status)
        return status;
    if ((dataset.class != H5T_FLOAT && dataset.class != H5T_INTEGER) || dataset.rank != 1 ||
        dataset.dims[0] != n_layers) {
        status = egc_fail(err, EGC_ERROR_FORMAT, "%s: %s must be numbers [%zu layers]", file->path,
                          column->name, n_layers);
        goto done;
    }
    values = egc_calloc(n_layers, sizeof *values);
    status = values ? egc_hdf5_read(file, &dataset, H5T_NATIVE_DOUBLE, values, err)
                    : egc_fail_memory(err, n_layers * sizeof *values);
    for (size_t i = 0; !status && i < n_layers; i++) {
        *field_of(&layers[i], column) = values[i];
        if (!is_cost(values[i], column->optional))
            status = egc_fail(err, EGC_ERROR_FORMAT, "%s: %s[%zu] must be in [0, inf), got %g",
                              file->path, column->name, i, values[i]);
    }
done:
    egc_free(values);
    egc_hdf5_release(dataset.id);
    return status;
}

static egc_status read_column(const egc_hdf5_file *file, const struct column *column,
                              egc_layer *layers, size_t n_layers, egc_error *err)
{
    bool stored = true;
    egc_status status =
        column->optional ? egc_hdf5_has_dataset(file, column->name, &stored, err) : EGC_OK;
    if (status)
        return status;
    if (stored)
        return read_stored_column(file, column, layers, n_layers, err);
    for (size_t i = 0; i < n_layers; i++)
        *field_of(&layers[i], column) = NAN;
    return EGC_OK;
}

egc_status egc_trace_layers_read(const egc_hdf5_file *file, egc_layer **layers, size_t *n_layers,
                                 egc_error *err)
{
    *layers = NULL;
    egc_status status = read_names(file, layers, n_layers, err);
    if (!status)
        status = read_shapes(file, *layers, *n_layers, err);
    for (size_t c = 0; !status && c < N_COLUMNS; c++)
        status = read_column(file, &columns[c], *layers, *n_layers, err);
    if (status) {
        egc_free(*layers);
        *layers = NULL;
    }
    return status;
}

/* ---- writing -------------------------------------------------------------------------------- */

static egc_status create_group(const egc_hdf5_file *file, egc_error *err)
{
    hid_t group = 0, creation = H5Pcreate(H5P_GROUP_CREATE);
    if (creation > 0 && H5Pset_obj_track_times(creation, false) >= 0)
        group = H5Gcreate2(file->id, "layers", H5P_DEFAULT, creation, H5P_DEFAULT);
    egc_status status = group > 0 ? EGC_OK : egc_hdf5_fail(file, "write", err);
    egc_hdf5_release(group);
    egc_hdf5_release(creation);
    return status;
}

static egc_status write_names(const egc_hdf5_file *file, const egc_layer *layers, size_t n_layers,
                              egc_error *err)
{
    char *names = egc_calloc(n_layers, EGC_LAYER_NAME);
    if (!names)
        return egc_fail_memory(err, n_layers * EGC_LAYER_NAME);
    for (size_t i = 0; i < n_layers; i++)
        memcpy(names + i * EGC_LAYER_NAME, layers[i].name, strlen(layers[i].name));
    hid_t type = egc_hdf5_text_type(EGC_LAYER_NAME, H5T_CSET_UTF8);
    egc_status status =
        type > 0 ? egc_hdf5_write(file, "layers/name", type, 1, (hsize_t[]){n_layers}, names, err)
                 : egc_hdf5_fail(file, "write", err);
    egc_hdf5_release(type);
    egc_free(names);
    return status;
}

static egc_status write_shapes(const egc_hdf5_file *file, const egc_layer *layers, size_t n_layers,
                               egc_error *err)
{
    uint64_t *dims = egc_calloc(n_layers * EGC_LAYER_DIMS, sizeof *dims);
    if (!dims)
        return egc_fail_memory(err, n_layers * EGC_LAYER_DIMS * sizeof *dims);
    for (size_t i = 0; i < n_layers; i++)
        for (size_t d = 0; d < EGC_LAYER_DIMS; d++)
            dims[i * EGC_LAYER_DIMS + d] = layers[i].shape[d];
    egc_status status = egc_hdf5_write(file, "layers/shape", H5T_NATIVE_UINT64, 2,
                                       (hsize_t[]){n_layers, EGC_LAYER_DIMS}, dims, err);
    egc_free(dims);
    return status;
}

static egc_status write_column(const egc_hdf5_file *file, const struct column *column,
                               const egc_layer *layers, size_t n_layers, egc_error *err)
{
    double *values = egc_calloc(n_layers, sizeof *values);
    if (!values)
        return egc_fail_memory(err, n_layers * sizeof *values);
    bool known = !column->optional;
    for (size_t i = 0; i < n_layers; i++) {
        egc_layer layer = layers[i];
        values[i] = *field_of(&layer, column);
        known = known || !isnan(values[i]);
    }
    egc_status status = known ? egc_hdf5_write(file, column->name, H5T_NATIVE_DOUBLE, 1,
                                               (hsize_t[]){n_layers}, values, err)
                              : EGC_OK;
    egc_free(values);
    return status;
}

egc_status egc_trace_layers_write(const egc_hdf5_file *file, const egc_layer *layers,
                                  size_t n_layers, egc_error *err)
{
    egc_status status = create_group(file, err);
    if (!status)
        status = write_names(file, layers, n_layers, err);
    if (!status)
        status = write_shapes(file, layers, n_layers, err);
    for (size_t c = 0; !status && c < N_COLUMNS; c++)
        status = write_column(file, &columns[c], layers, n_layers, err);
    return status;
}
