/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/trace/hdf5.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/param.h"

void egc_hdf5_quiet(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* ---- errors --------------------------------------------------------------------------------- */

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

egc_status egc_hdf5_fail(const egc_hdf5_file *file, const char *verb, egc_error *err)
{
    cause found = {0};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, read_cause, &found);
    if (found.system_error)
        return egc_fail(err, EGC_ERROR_IO, "%s: cannot %s: %s", file->path, verb,
                        strerror(found.system_error));
    return egc_fail(err, EGC_ERROR_FORMAT, "%s: cannot %s: damaged or not understood (%s)",
                    file->path, verb, found.text[0] ? found.text : "no reason given");
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

hid_t egc_hdf5_text_type(size_t room, H5T_cset_t charset)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0 || H5Tset_size(type, room) < 0 || H5Tset_cset(type, charset) < 0) {
        egc_hdf5_release(type);
        return H5I_INVALID_HID;
    }
    return type;
}

/* ---- attributes ----------------------------------------------------------------------------- */

egc_status egc_hdf5_has_attribute(const egc_hdf5_file *file, const char *name, bool *out,
                                  egc_error *err)
{
    htri_t exists = H5Aexists(file->id, name);
    *out = exists > 0;
    return exists < 0 ? egc_hdf5_fail(file, "read", err) : EGC_OK;
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
static egc_status read_text(const egc_hdf5_file *file, hid_t attribute, const char *name, char *out,
                            size_t room, egc_error *err)
{
    egc_status status = EGC_OK;
    hid_t memory_type = 0;
    hid_t type = H5Aget_type(attribute);
    bool fixed = type > 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    if (!fixed || !holds_one_item(attribute)) {
        status = egc_fail(err, EGC_ERROR_FORMAT,
                          "%s: attribute \"%s\" must be one fixed-length string (in h5py: "
                          "numpy.bytes_(text))",
                          file->path, name);
        goto done;
    }
    memory_type = egc_hdf5_text_type(room, H5Tget_cset(type));
    if (memory_type < 0 || H5Aread(attribute, memory_type, out) < 0)
        status = egc_hdf5_fail(file, "read", err);
done:
    egc_hdf5_release(memory_type);
    egc_hdf5_release(type);
    return status;
}

egc_status egc_hdf5_get_text(const egc_hdf5_file *file, const char *name, char *out, size_t room,
                             egc_error *err)
{
    char text[EGC_TEXT_LENGTH + 1] = {0};
    assert(room < sizeof text);
    hid_t attribute = H5Aopen(file->id, name, H5P_DEFAULT);
    if (attribute < 0)
        return egc_hdf5_fail(file, "read", err);
    egc_status status = read_text(file, attribute, name, text, room + 1, err);
    egc_hdf5_release(attribute);
    if (status)
        return status;
    if (strlen(text) >= room || !egc_hdf5_printable(text))
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "%s: attribute \"%s\" must be printable text of at most %zu bytes",
                        file->path, name, room - 1);
    memcpy(out, text, room);
    return EGC_OK;
}

egc_status egc_hdf5_get_int(const egc_hdf5_file *file, const char *name, int64_t *out,
                            egc_error *err)
{
    hid_t attribute = H5Aopen(file->id, name, H5P_DEFAULT);
    if (attribute < 0)
        return egc_hdf5_fail(file, "read", err);
    egc_status status = EGC_OK;
    hid_t type = H5Aget_type(attribute);
    if (type < 0 || H5Tget_class(type) != H5T_INTEGER || !holds_one_item(attribute))
        status = egc_fail(err, EGC_ERROR_FORMAT, "%s: attribute \"%s\" must be one integer",
                          file->path, name);
    else if (H5Aread(attribute, H5T_NATIVE_INT64, out) < 0)
        status = egc_hdf5_fail(file, "read", err);
    egc_hdf5_release(type);
    egc_hdf5_release(attribute);
    return status;
}

static egc_status put(const egc_hdf5_file *file, const char *name, hid_t type, const void *value,
                      egc_error *err)
{
    egc_status status = EGC_OK;
    hid_t attribute = 0;
    hid_t space = H5Screate(H5S_SCALAR);
    if (space > 0)
        attribute = H5Acreate2(file->id, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (space < 0 || attribute < 0 || H5Awrite(attribute, type, value) < 0)
        status = egc_hdf5_fail(file, "write", err);
    egc_hdf5_release(attribute);
    egc_hdf5_release(space);
    return status;
}

egc_status egc_hdf5_put_text(const egc_hdf5_file *file, const char *name, const char *text,
                             egc_error *err)
{
    hid_t type = egc_hdf5_text_type(strlen(text) + 1, H5T_CSET_UTF8);
    if (type < 0)
        return egc_hdf5_fail(file, "write", err);
    egc_status status = put(file, name, type, text, err);
    egc_hdf5_release(type);
    return status;
}

egc_status egc_hdf5_put_int(const egc_hdf5_file *file, const char *name, int64_t value,
                            egc_error *err)
{
    return put(file, name, H5T_NATIVE_INT64, &value, err);
}

/* ---- data sets ------------------------------------------------------------------------------ */

/* HDF5 can only be asked about the last part of a path whose other parts exist. */
egc_status egc_hdf5_has_dataset(const egc_hdf5_file *file, const char *name, bool *out,
                                egc_error *err)
{
    char group[64];
    const char *slash = strchr(name, '/');
    htri_t exists = 1;
    if (slash) {
        size_t length = (size_t)(slash - name);
        assert(length < sizeof group);
        memcpy(group, name, length);
        group[length] = '\0';
        exists = H5Lexists(file->id, group, H5P_DEFAULT);
    }
    if (exists > 0)
        exists = H5Lexists(file->id, name, H5P_DEFAULT);
    *out = exists > 0;
    return exists < 0 ? egc_hdf5_fail(file, "read", err) : EGC_OK;
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

egc_status egc_hdf5_open_dataset(const egc_hdf5_file *file, const char *name, egc_hdf5_dataset *out,
                                 egc_error *err)
{
    bool exists;
    egc_status status = egc_hdf5_has_dataset(file, name, &exists, err);
    if (status)
        return status;
    if (!exists)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: data set \"%s\" is missing", file->path, name);
    *out = (egc_hdf5_dataset){.id = H5Dopen2(file->id, name, H5P_DEFAULT)};
    if (out->id > 0 && describe_type(out) && describe_shape(out))
        return EGC_OK;
    status = egc_hdf5_fail(file, "read", err);
    egc_hdf5_release(out->id);
    *out = (egc_hdf5_dataset){0};
    return status;
}

egc_status egc_hdf5_read(const egc_hdf5_file *file, const egc_hdf5_dataset *dataset,
                         hid_t memory_type, void *out, egc_error *err)
{
    if (H5Dread(dataset->id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
        return egc_hdf5_fail(file, "read", err);
    return EGC_OK;
}

egc_status egc_hdf5_write(const egc_hdf5_file *file, const char *name, hid_t type, int rank,
                          const hsize_t *dims, const void *data, egc_error *err)
{
    egc_status status = EGC_OK;
    hid_t dataset = 0;
    hid_t space = H5Screate_simple(rank, dims, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    if (space > 0 && creation > 0 && H5Pset_obj_track_times(creation, false) >= 0)
        dataset = H5Dcreate2(file->id, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (space < 0 || creation < 0 || dataset <= 0 ||
        H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        status = egc_hdf5_fail(file, "write", err);
    egc_hdf5_release(dataset);
    egc_hdf5_release(creation);
    egc_hdf5_release(space);
    return status;
}
