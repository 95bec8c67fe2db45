/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes and data sets through the C API of HDF5 1.10, and the translation of its error stack
 * into an egc_error. */
#include "workloads/trace/hdf5.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/param.h"

void egc_hdf5_begin(egc_hdf5_file *file, egc_error *err)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    file->status = EGC_OK;
    file->err = err;
}

/* ---- errors ---------------------------------------------------------------------------------- */

typedef struct cause {
    int system_error; /* errno, or 0 */
    char text[EGC_ERROR_LENGTH];
} cause;

/* HDF5 keeps errno only inside the description of the innermost error. */
static herr_t read_cause(unsigned depth, const H5E_error2_t *error, void *arg)
{
    cause *out = arg;
    if (depth > 0 || !error->desc)
        return 0;
    const char *number = strstr(error->desc, "errno = ");
    if (number)
        out->system_error = atoi(number + strlen("errno = "));
    size_t length = strcspn(error->desc, "\n");
    if (length >= sizeof out->text)
        length = sizeof out->text - 1;
    memcpy(out->text, error->desc, length);
    return 0;
}

bool egc_hdf5_check(egc_hdf5_file *file, bool ok, const char *verb)
{
    if (ok || file->status)
        return !file->status;
    cause found = {0};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, read_cause, &found);
    if (found.system_error)
        file->status = egc_fail(file->err, EGC_ERROR_IO, "%s: cannot %s: %s", file->path, verb,
                                strerror(found.system_error));
    else
        file->status =
            egc_fail(file->err, EGC_ERROR_FORMAT, "%s: cannot %s: damaged or not understood (%s)",
                     file->path, verb, found.text[0] ? found.text : "no reason given");
    return false;
}

void egc_hdf5_refuse(egc_hdf5_file *file, const char *format, ...)
{
    char text[EGC_ERROR_LENGTH];
    va_list arguments;
    if (file->status)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    file->status = egc_fail(file->err, EGC_ERROR_FORMAT, "%s: %s", file->path, text);
}

void *egc_hdf5_alloc(egc_hdf5_file *file, size_t n, size_t size)
{
    void *memory = file->status ? NULL : egc_calloc(n, size);
    if (!memory && !file->status)
        file->status = egc_fail_memory(file->err, n * size);
    return memory;
}

void egc_hdf5_release(hid_t id)
{
    if (id > 0)
        H5Idec_ref(id);
}

bool egc_hdf5_printable(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7f)
            return false;
    return true;
}

hid_t egc_hdf5_text_type(egc_hdf5_file *file, size_t room, H5T_cset_t charset, const char *verb)
{
    hid_t type = file->status ? 0 : H5Tcopy(H5T_C_S1);
    if (egc_hdf5_check(file,
                       type > 0 && H5Tset_size(type, room) >= 0 && H5Tset_cset(type, charset) >= 0,
                       verb))
        return type;
    egc_hdf5_release(type);
    return 0;
}

/* ---- attributes ------------------------------------------------------------------------------ */

bool egc_hdf5_has_attribute(egc_hdf5_file *file, const char *name)
{
    htri_t exists = file->status ? 0 : H5Aexists(file->id, name);
    return egc_hdf5_check(file, exists >= 0, "read") && exists > 0;
}

/* Opens an attribute and its type. False after a failure; both are to be released in any case. */
static bool open_attribute(egc_hdf5_file *file, const char *name, hid_t *attribute, hid_t *type)
{
    *attribute = file->status ? 0 : H5Aopen(file->id, name, H5P_DEFAULT);
    *type = *attribute > 0 ? H5Aget_type(*attribute) : 0;
    return egc_hdf5_check(file, *attribute > 0, "read");
}

static bool holds_one_item(hid_t attribute)
{
    hid_t space = H5Aget_space(attribute);
    bool one = space > 0 && H5Sget_simple_extent_npoints(space) == 1;
    egc_hdf5_release(space);
    return one;
}

/* Reads a fixed string into room bytes; longer text is cut there, which the caller notices by its
 * length. */
static void read_text(egc_hdf5_file *file, hid_t attribute, hid_t type, const char *name, char *out,
                      size_t room)
{
    bool fixed = type > 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    if (!fixed || !holds_one_item(attribute)) {
        egc_hdf5_refuse(file,
                        "attribute \"%s\" must be one fixed-length string (in h5py: "
                        "numpy.bytes_(text))",
                        name);
        return;
    }
    hid_t memory_type = egc_hdf5_text_type(file, room, H5Tget_cset(type), "read");
    if (memory_type > 0)
        egc_hdf5_check(file, H5Aread(attribute, memory_type, out) >= 0, "read");
    egc_hdf5_release(memory_type);
}

void egc_hdf5_get_text(egc_hdf5_file *file, const char *name, char *out, size_t room)
{
    char text[EGC_TEXT_LENGTH + 1] = {0};
    hid_t attribute, type;
    assert(room < sizeof text);
    if (open_attribute(file, name, &attribute, &type))
        read_text(file, attribute, type, name, text, room + 1);
    egc_hdf5_release(type);
    egc_hdf5_release(attribute);
    if (strlen(text) >= room || !egc_hdf5_printable(text))
        egc_hdf5_refuse(file, "attribute \"%s\" must be printable text of at most %zu bytes", name,
                        room - 1);
    if (!file->status)
        memcpy(out, text, room);
}

int64_t egc_hdf5_get_int(egc_hdf5_file *file, const char *name)
{
    int64_t value = 0;
    hid_t attribute, type;
    if (open_attribute(file, name, &attribute, &type)) {
        if (type < 0 || H5Tget_class(type) != H5T_INTEGER || !holds_one_item(attribute))
            egc_hdf5_refuse(file, "attribute \"%s\" must be one integer", name);
        else
            egc_hdf5_check(file, H5Aread(attribute, H5T_NATIVE_INT64, &value) >= 0, "read");
    }
    egc_hdf5_release(type);
    egc_hdf5_release(attribute);
    return value;
}

static void put(egc_hdf5_file *file, const char *name, hid_t type, const void *value)
{
    if (file->status)
        return;
    hid_t attribute = 0;
    hid_t space = H5Screate(H5S_SCALAR);
    if (space > 0)
        attribute = H5Acreate2(file->id, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    egc_hdf5_check(file, attribute > 0 && H5Awrite(attribute, type, value) >= 0, "write");
    egc_hdf5_release(attribute);
    egc_hdf5_release(space);
}

void egc_hdf5_put_text(egc_hdf5_file *file, const char *name, const char *text)
{
    hid_t type = egc_hdf5_text_type(file, strlen(text) + 1, H5T_CSET_UTF8, "write");
    put(file, name, type, text);
    egc_hdf5_release(type);
}

void egc_hdf5_put_int(egc_hdf5_file *file, const char *name, int64_t value)
{
    put(file, name, H5T_NATIVE_INT64, &value);
}

/* ---- data sets ------------------------------------------------------------------------------- */

/* HDF5 can only be asked about the last part of a path whose other parts exist. */
bool egc_hdf5_has_dataset(egc_hdf5_file *file, const char *name)
{
    char group[64];
    const char *slash = strchr(name, '/');
    htri_t exists = 1;
    if (file->status)
        return false;
    if (slash) {
        size_t length = (size_t)(slash - name);
        assert(length < sizeof group);
        memcpy(group, name, length);
        group[length] = '\0';
        exists = H5Lexists(file->id, group, H5P_DEFAULT);
    }
    if (exists > 0)
        exists = H5Lexists(file->id, name, H5P_DEFAULT);
    return egc_hdf5_check(file, exists >= 0, "read") && exists > 0;
}

static bool describe_type(egc_hdf5_dataset *dataset)
{
    hid_t type = H5Dget_type(dataset->id);
    if (type < 0)
        return false;
    dataset->class = H5Tget_class(type);
    dataset->item_bytes = H5Tget_size(type);
    dataset->variable_text = H5Tis_variable_str(type) > 0;
    H5Tclose(type);
    return true;
}

static bool describe_shape(egc_hdf5_dataset *dataset)
{
    hid_t space = H5Dget_space(dataset->id);
    if (space < 0)
        return false;
    dataset->rank = H5Sget_simple_extent_ndims(space);
    bool known = dataset->rank >= 0;
    if (known && dataset->rank <= EGC_HDF5_MAX_RANK)
        known = H5Sget_simple_extent_dims(space, dataset->dims, NULL) >= 0;
    H5Sclose(space);
    return known;
}

egc_hdf5_dataset egc_hdf5_open_dataset(egc_hdf5_file *file, const char *name)
{
    egc_hdf5_dataset out = {0};
    bool exists = egc_hdf5_has_dataset(file, name);
    if (!exists)
        egc_hdf5_refuse(file, "data set \"%s\" is missing", name);
    if (file->status)
        return out;
    out.id = H5Dopen2(file->id, name, H5P_DEFAULT);
    if (egc_hdf5_check(file, out.id > 0 && describe_type(&out) && describe_shape(&out), "read"))
        return out;
    egc_hdf5_release(out.id);
    return (egc_hdf5_dataset){0};
}

void egc_hdf5_read(egc_hdf5_file *file, const egc_hdf5_dataset *dataset, const hsize_t *start,
                   const hsize_t *count, hid_t memory_type, void *out)
{
    if (file->status)
        return;
    hid_t memory = H5S_ALL, space = H5S_ALL;
    bool ok = true;
    if (count) {
        space = H5Dget_space(dataset->id);
        ok = space > 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
        memory = ok ? H5Screate_simple(dataset->rank, count, NULL) : H5S_ALL;
        ok = ok && memory > 0;
    }
    egc_hdf5_check(file,
                   ok && H5Dread(dataset->id, memory_type, memory, space, H5P_DEFAULT, out) >= 0,
                   "read");
    egc_hdf5_release(memory);
    egc_hdf5_release(space);
}

void egc_hdf5_write(egc_hdf5_file *file, const char *name, hid_t type, int rank,
                    const hsize_t *dims, const void *data)
{
    if (file->status)
        return;
    hid_t dataset = 0;
    hid_t space = H5Screate_simple(rank, dims, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    if (space > 0 && creation > 0 && H5Pset_obj_track_times(creation, false) >= 0)
        dataset = H5Dcreate2(file->id, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    egc_hdf5_check(file,
                   dataset > 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0,
                   "write");
    egc_hdf5_release(dataset);
    egc_hdf5_release(creation);
    egc_hdf5_release(space);
}
