/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /layers/name: fixed strings [layers]; /layers/shape: integers [layers, up to 4], padded with
 * zeros; one column of doubles for each cost in `columns`. */
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
    bool optional; /* NAN means unknown */
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

/* ---- reading --------------------------------------------------------------------------------- */

static void read_name_table(egc_hdf5_file *file, const egc_hdf5_dataset *dataset, char *names,
                            size_t room)
{
    if (dataset->class != H5T_STRING || dataset->variable_text || dataset->rank != 1) {
        egc_hdf5_refuse(file, "layers/name must be a list of fixed-length strings (in h5py: "
                              "numpy.array(names, dtype=\"S\"))");
        return;
    }
    hid_t stored = H5Dget_type(dataset->id);
    egc_hdf5_check(file, stored > 0, "read");
    hid_t type = egc_hdf5_text_type(file, room, H5Tget_cset(stored), "read");
    egc_hdf5_read(file, dataset, NULL, NULL, type, names);
    egc_hdf5_release(type);
    egc_hdf5_release(stored);
}

static void take_names(egc_hdf5_file *file, const char *names, size_t room, egc_layer *layers,
                       size_t n_layers)
{
    for (size_t i = 0; i < n_layers && !file->status; i++) {
        const char *name = names + i * room;
        size_t length = strlen(name);
        if (length == 0 || length >= EGC_LAYER_NAME || !egc_hdf5_printable(name))
            egc_hdf5_refuse(file, "layers/name[%zu] must be printable text of 1 to %d bytes", i,
                            EGC_LAYER_NAME - 1);
        else
            memcpy(layers[i].name, name, length + 1);
    }
}

/* The names come first and determine the number of layers. */
static void read_names(egc_hdf5_file *file, egc_layer **layers, size_t *n_layers)
{
    enum { ROOM = EGC_LAYER_NAME + 1 }; /* one more than fits, to detect a longer name */
    egc_hdf5_dataset dataset = egc_hdf5_open_dataset(file, "layers/name");
    hsize_t n = dataset.rank == 1 ? dataset.dims[0] : 1;
    if (n < 1 || n > EGC_TRACE_MAX_LAYERS)
        egc_hdf5_refuse(file, "must have 1 to %d layers, got %llu", EGC_TRACE_MAX_LAYERS,
                        (unsigned long long)n);
    char *names = egc_hdf5_alloc(file, n, ROOM);
    *layers = egc_hdf5_alloc(file, n, sizeof **layers);
    *n_layers = n;
    if (!file->status)
        read_name_table(file, &dataset, names, ROOM);
    take_names(file, names, ROOM, *layers, n);
    egc_free(names);
    egc_hdf5_release(dataset.id);
}

/* False unless dims are at least 1, followed by zeros only, with a product that can be counted. */
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

static void read_shapes(egc_hdf5_file *file, egc_layer *layers, size_t n_layers)
{
    egc_hdf5_dataset dataset = egc_hdf5_open_dataset(file, "layers/shape");
    size_t n_dims = dataset.dims[1];
    if (dataset.class != H5T_INTEGER || dataset.rank != 2 || dataset.dims[0] != n_layers ||
        n_dims < 1 || n_dims > EGC_LAYER_DIMS)
        egc_hdf5_refuse(file, "layers/shape must be integers [%zu layers, 1 to %d dimensions]",
                        n_layers, EGC_LAYER_DIMS);
    uint64_t *dims = egc_hdf5_alloc(file, n_layers * n_dims, sizeof *dims);
    egc_hdf5_read(file, &dataset, NULL, NULL, H5T_NATIVE_UINT64, dims);
    for (size_t i = 0; i < n_layers && !file->status; i++)
        if (!take_shape(&layers[i], dims + i * n_dims, n_dims))
            egc_hdf5_refuse(file,
                            "layers/shape[%zu] must be dimensions of at least 1, padded with zeros "
                            "at the end",
                            i);
    egc_free(dims);
    egc_hdf5_release(dataset.id);
}

static bool is_cost(double value, bool optional)
{
    return isnan(value) ? optional : value >= 0 && isfinite(value);
}

/* A column that is missing but optional is all NAN. */
static void read_column(egc_hdf5_file *file, const struct column *column, egc_layer *layers,
                        size_t n_layers)
{
    bool missing = column->optional && !egc_hdf5_has_dataset(file, column->name);
    for (size_t i = 0; missing && i < n_layers && !file->status; i++)
        *field_of(&layers[i], column) = NAN;
    if (missing)
        return;
    egc_hdf5_dataset dataset = egc_hdf5_open_dataset(file, column->name);
    bool numbers = dataset.class == H5T_FLOAT || dataset.class == H5T_INTEGER;
    if (!numbers || dataset.rank != 1 || dataset.dims[0] != n_layers)
        egc_hdf5_refuse(file, "%s must be numbers [%zu layers]", column->name, n_layers);
    double *values = egc_hdf5_alloc(file, n_layers, sizeof *values);
    egc_hdf5_read(file, &dataset, NULL, NULL, H5T_NATIVE_DOUBLE, values);
    for (size_t i = 0; i < n_layers && !file->status; i++) {
        *field_of(&layers[i], column) = values[i];
        if (!is_cost(values[i], column->optional))
            egc_hdf5_refuse(file, "%s[%zu] must be in [0, inf), got %g", column->name, i,
                            values[i]);
    }
    egc_free(values);
    egc_hdf5_release(dataset.id);
}

void egc_trace_layers_read(egc_hdf5_file *file, egc_layer **layers, size_t *n_layers)
{
    *layers = NULL;
    read_names(file, layers, n_layers);
    read_shapes(file, *layers, *n_layers);
    for (size_t c = 0; c < N_COLUMNS; c++)
        read_column(file, &columns[c], *layers, *n_layers);
    if (file->status) {
        egc_free(*layers);
        *layers = NULL;
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static void create_group(egc_hdf5_file *file)
{
    if (file->status)
        return;
    hid_t group = 0, creation = H5Pcreate(H5P_GROUP_CREATE);
    if (creation > 0 && H5Pset_obj_track_times(creation, false) >= 0)
        group = H5Gcreate2(file->id, "layers", H5P_DEFAULT, creation, H5P_DEFAULT);
    egc_hdf5_check(file, group > 0, "write");
    egc_hdf5_release(group);
    egc_hdf5_release(creation);
}

static void write_names(egc_hdf5_file *file, const egc_layer *layers, size_t n_layers)
{
    char *names = egc_hdf5_alloc(file, n_layers, EGC_LAYER_NAME);
    for (size_t i = 0; i < n_layers && names; i++)
        memcpy(names + i * EGC_LAYER_NAME, layers[i].name, strlen(layers[i].name));
    hid_t type = egc_hdf5_text_type(file, EGC_LAYER_NAME, H5T_CSET_UTF8, "write");
    egc_hdf5_write(file, "layers/name", type, 1, (hsize_t[]){n_layers}, names);
    egc_hdf5_release(type);
    egc_free(names);
}

static void write_shapes(egc_hdf5_file *file, const egc_layer *layers, size_t n_layers)
{
    uint64_t *dims = egc_hdf5_alloc(file, n_layers * EGC_LAYER_DIMS, sizeof *dims);
    for (size_t i = 0; i < n_layers && dims; i++)
        for (size_t d = 0; d < EGC_LAYER_DIMS; d++)
            dims[i * EGC_LAYER_DIMS + d] = layers[i].shape[d];
    egc_hdf5_write(file, "layers/shape", H5T_NATIVE_UINT64, 2,
                   (hsize_t[]){n_layers, EGC_LAYER_DIMS}, dims);
    egc_free(dims);
}

static void write_column(egc_hdf5_file *file, const struct column *column, const egc_layer *layers,
                         size_t n_layers)
{
    double *values = egc_hdf5_alloc(file, n_layers, sizeof *values);
    bool known = !column->optional;
    for (size_t i = 0; i < n_layers && values; i++) {
        egc_layer layer = layers[i];
        values[i] = *field_of(&layer, column);
        known = known || !isnan(values[i]);
    }
    if (known)
        egc_hdf5_write(file, column->name, H5T_NATIVE_DOUBLE, 1, (hsize_t[]){n_layers}, values);
    egc_free(values);
}

void egc_trace_layers_write(egc_hdf5_file *file, const egc_layer *layers, size_t n_layers)
{
    create_group(file);
    write_names(file, layers, n_layers);
    write_shapes(file, layers, n_layers);
    for (size_t c = 0; c < N_COLUMNS; c++)
        write_column(file, &columns[c], layers, n_layers);
}
