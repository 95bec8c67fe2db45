/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MNIST and its successors, which come as four gzipped IDX files. An IDX file is big-endian: two
 * zero bytes, the type of the numbers (8: unsigned bytes), the number of dimensions, each dimension
 * in four bytes, then the numbers in row-major order. */
#include <errno.h>
#include <stdio.h>
#include <zlib.h>

#include "workloads/train/datasets/dataset.h"
#include "workloads/train/datasets/locate.h"

enum { MAX_DIMENSIONS = 3, CHUNK_BYTES = 1 << 20 };

/* An open file, and its data set for error messages. */
typedef struct idx_file {
    gzFile stream;
    char path[PATH_MAX];
    const egc_dataset_type *type;
} idx_file;

static egc_status open_file(idx_file *file, const char *folder, const char *name, egc_error *err)
{
    egc_status status = egc_locate_path(folder, name, file->path, err);
    if (status)
        return status;
    errno = 0;
    file->stream = gzopen(file->path, "rb");
    if (file->stream)
        return EGC_OK;
    return errno ? egc_locate_fail_open(folder, name, file->type->remedy, err)
                 : egc_fail_memory(err, CHUNK_BYTES);
}

static egc_status fail_damaged(const idx_file *file, egc_error *err)
{
    return egc_error_prefix(err, "%s: damaged or not of the data set %s", file->path,
                            file->type->name);
}

static const char broken_gzip[] = "broken gzip data or wrong checksum";

/* Error of a read that gave only `got` of `wanted` bytes. */
static egc_status fail_read(const idx_file *file, size_t got, size_t wanted, const char *what,
                            egc_error *err)
{
    int code;
    gzerror(file->stream, &code);
    if (code == Z_ERRNO)
        return egc_fail_errno(err, "read", file->path);
    if (code == Z_MEM_ERROR)
        return egc_fail_memory(err, CHUNK_BYTES);
    if (code == Z_DATA_ERROR)
        egc_fail(err, EGC_ERROR_FORMAT, "%s", broken_gzip);
    else
        egc_fail(err, EGC_ERROR_FORMAT, "ends after %zu of %zu bytes of %s", got, wanted, what);
    return fail_damaged(file, err);
}

/* Appends exactly `wanted` bytes, a chunk at a time: a header that lies about its size runs into
 * the end of the file before it costs memory. */
static egc_status read_bytes(idx_file *file, size_t wanted, const char *what, egc_buf *out,
                             egc_error *err)
{
    for (size_t got = 0; got < wanted;) {
        size_t chunk = wanted - got < CHUNK_BYTES ? wanted - got : CHUNK_BYTES;
        egc_status status = egc_buf_reserve(out, chunk, err);
        if (status)
            return status;
        int count = gzread(file->stream, out->data + out->len, (unsigned)chunk);
        if (count <= 0)
            return fail_read(file, got, wanted, what, err);
        out->len += (size_t)count;
        got += (size_t)count;
    }
    return EGC_OK;
}

/* FORMAT unless the file ends here. zlib compares its checksum only at the end. */
static egc_status expect_end(idx_file *file, egc_error *err)
{
    char byte;
    int count = gzread(file->stream, &byte, 1);
    int closed = gzclose_r(file->stream);
    file->stream = NULL;
    if (count == 0 && closed == Z_OK)
        return EGC_OK;
    egc_fail(err, EGC_ERROR_FORMAT, "%s",
             count > 0 ? "holds more bytes than its header says" : broken_gzip);
    return fail_damaged(file, err);
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Checks the header against `rank` dimensions, all but the first of which are `want`. */
static egc_status read_header(idx_file *file, int rank, const size_t *want, size_t *count,
                              egc_error *err)
{
    egc_buf header = {0};
    egc_status status = read_bytes(file, 4 * (size_t)(1 + rank), "header", &header, err);
    if (status)
        goto done;
    uint32_t magic = big_endian(header.data), expected = 0x800u + (uint32_t)rank;
    if (magic != expected) {
        egc_fail(err, EGC_ERROR_FORMAT, "starts with 0x%08x, want 0x%08x", magic, expected);
        status = fail_damaged(file, err);
        goto done;
    }
    *count = big_endian(header.data + 4);
    for (int i = 1; i < rank && !status; i++) {
        uint32_t size = big_endian(header.data + 4 + 4 * i);
        if (size == want[i])
            continue;
        egc_fail(err, EGC_ERROR_FORMAT, "dimension %d is %u, want %zu", i + 1, size, want[i]);
        status = fail_damaged(file, err);
    }
done:
    egc_buf_fini(&header);
    return status;
}

/* Reads at most `limit` items of a file of `rank` dimensions. *count is the number in the file. */
static egc_status read_file(const egc_dataset_type *type, const char *folder, const char *name,
                            int rank, size_t limit, size_t *count, egc_buf *out, egc_error *err)
{
    idx_file file = {.type = type};
    egc_status status = open_file(&file, folder, name, err);
    if (!status)
        status = read_header(&file, rank, type->shape.dims, count, err);
    if (status)
        goto done;
    size_t item_bytes = rank == 1 ? 1 : egc_shape_count(&type->shape);
    size_t items = *count < limit ? *count : limit;
    status = read_bytes(&file, items * item_bytes, rank == 1 ? "labels" : "images", out, err);
    if (!status && items == *count)
        status = expect_end(&file, err);
done:
    if (file.stream)
        gzclose_r(file.stream);
    return status;
}

static egc_status check_labels(const egc_dataset_type *type, const char *folder, const char *name,
                               const egc_buf *labels, egc_error *err)
{
    for (size_t i = 0; i < labels->len; i++)
        if (labels->data[i] >= type->classes)
            return egc_fail(err, EGC_ERROR_FORMAT, "%s/%s: label %zu is %u, want 0 to %zu", folder,
                            name, i, labels->data[i], type->classes - 1);
    return EGC_OK;
}

static egc_status load_half(const egc_dataset_type *type, const char *folder, const char *half,
                            size_t limit, egc_examples *out, egc_error *err)
{
    char images[64], labels[64];
    snprintf(images, sizeof images, "%s-images-idx3-ubyte.gz", half);
    snprintf(labels, sizeof labels, "%s-labels-idx1-ubyte.gz", half);
    size_t n_images = 0, n_labels = 0;
    egc_status status =
        read_file(type, folder, images, MAX_DIMENSIONS, limit, &n_images, &out->values, err);
    if (!status)
        status = read_file(type, folder, labels, 1, limit, &n_labels, &out->labels, err);
    if (!status && n_images != n_labels)
        status = egc_fail(err, EGC_ERROR_FORMAT, "%s: %s has %zu images, but %s has %zu labels",
                          folder, images, n_images, labels, n_labels);
    if (!status)
        status = check_labels(type, folder, labels, &out->labels, err);
    out->count = out->labels.len;
    return status;
}

/* Loads train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz and the two t10k-* files. */
static egc_status load(const egc_dataset_type *type, const char *folder, size_t training_limit,
                       size_t test_limit, egc_dataset *out, egc_error *err)
{
    egc_status status = load_half(type, folder, "train", training_limit, &out->training, err);
    return status ? status : load_half(type, folder, "t10k", test_limit, &out->test, err);
}

const egc_dataset_type egc_dataset_mnist = {
    .name = "mnist",
    .summary = "70,000 grey images of 28 x 28, ten handwritten digits",
    .reference = "LeCun, Cortes, Burges: The MNIST database of handwritten digits",
    .folder = "mnist",
    .shape = {3, {1, 28, 28}},
    .classes = 10,
    .mean = {0.1307}, /* as published with many implementations, to four digits */
    .deviation = {0.3081},
    .remedy = "set path to a folder with the four .gz files of the data set",
    .load = load,
};

const egc_dataset_type egc_dataset_fashion_mnist = {
    .name = "fashion-mnist",
    .summary = "70,000 grey images of 28 x 28, ten kinds of clothing",
    .reference = "Xiao, Rasul, Vollgraf: Fashion-MNIST, arXiv:1708.07747",
    .folder = "fashion-mnist",
    .shape = {3, {1, 28, 28}},
    .classes = 10,
    .mean = {0.2860406}, /* counted over the 60,000 training images */
    .deviation = {0.3530242},
    .remedy = "install the Debian package dataset-fashion-mnist, or set path to a folder with the "
              "four .gz files of the data set",
    .load = load,
};
