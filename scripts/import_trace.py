#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a trace for egc-sim from gradients in .npz and .safetensors files.

    import_trace.py -o trace.h5 gradients.npz
    import_trace.py -o trace.h5 step0.worker0.safetensors step0.worker1.safetensors ...

One array is one layer's gradient at one step of one worker. Its key names them:

    [stepS/][workerW/]LAYER        step12/worker3/conv1.weight   worker3.conv1.weight   conv1.weight

with "/" or "." in between. Numbers missing in the key are taken from the file's name (stepS, and workerW
or rankW, anywhere in it), else they are 0. If no key and no name has a step or worker, each file is one
step of one worker, in the order given. LAYER "loss" is a scalar: the training loss.

Step numbers may have gaps (every tenth was saved); worker numbers may not. All steps and workers must have
the same layers and shapes. float16, bfloat16, float32 and float64 become float32.

Layers are in the order of the first step's file, the one nearest the input first: for .npz as they were
saved; for .safetensors, which keeps no order, as their data lie, or as in the file of --order, which has
one layer's name per line. FLOPs are estimated as 2 x batch x parameters forward and twice that backward,
which is right for linear layers and too low for convolutions.

Needs Debian's python3-numpy and python3-h5py.
"""
import argparse
import json
import math
import os
import re
import sys
import zipfile

import numpy as np

from egc_trace import TraceError, TraceWriter, layer

KEY = re.compile(r"(?:step(\d{1,18})[/.])?(?:(?:worker|rank)(\d{1,18})[/.])?(.+)", re.DOTALL)
LOSS = "loss"

# ---- safetensors: 8 bytes with the header's length, a JSON header, raw little-endian data ----------

DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
MAX_HEADER = 100 * 2**20


def reject_twins(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"key {next(k for k in keys if keys.count(k) > 1)!r} is there twice")
    return dict(pairs)


def read_header(path):
    """The header, the offset of the data, and its size in bytes."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, MAX_HEADER):
            raise TraceError(f"{path}: not a safetensors file: header of {length} bytes in a file of {size}")
        try:
            header = json.loads(file.read(length).decode(), object_pairs_hook=reject_twins)
            if not isinstance(header, dict):
                raise ValueError("not an object")
        except RecursionError:
            raise TraceError(f"{path}: not a safetensors file: header: nested too deeply") from None
        except ValueError as error:
            raise TraceError(f"{path}: not a safetensors file: header: {error}") from None
    return header, 8 + length, size - 8 - length


def is_count(value):
    return type(value) is int and value >= 0


def check_entry(path, key, entry, data_bytes):
    """The type, shape and offset of one tensor."""
    try:
        dtype, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
    except (KeyError, TypeError, ValueError):
        raise TraceError(f"{path}: {key}: must have dtype, shape and two data_offsets") from None
    if not isinstance(shape, list) or not all(is_count(v) for v in [*shape, begin, end]):
        raise TraceError(f"{path}: {key}: shape and data_offsets must be integers from 0 on")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise TraceError(f"{path}: {key}: dtype must be {', '.join(DTYPES)}, got {dtype}")
    wanted = math.prod(shape) * np.dtype(DTYPES[dtype]).itemsize
    if end - begin != wanted or end > data_bytes:
        raise TraceError(f"{path}: {key}: {dtype} {shape} takes {wanted} bytes, got bytes {begin} to {end} of {data_bytes}")
    return dtype, shape, begin


def index_safetensors(path):
    header, start, data_bytes = read_header(path)
    header.pop("__metadata__", None)
    places = {key: check_entry(path, key, entry, data_bytes) for key, entry in header.items()}
    return {key: (shape, lambda d=dtype, s=shape, b=begin: read_tensor(path, d, s, start + b))
            for key, (dtype, shape, begin) in sorted(places.items(), key=lambda item: item[1][2])}


def read_tensor(path, dtype, shape, offset):
    count = math.prod(shape)
    raw = np.fromfile(path, DTYPES[dtype], count, offset=offset)
    if raw.size != count:
        raise TraceError(f"{path}: became shorter while it was read")
    if dtype == "BF16":
        raw = (raw.astype("<u4") << 16).view("<f4")
    return raw.reshape(shape)


# ---- npz ------------------------------------------------------------------------------------------


def npy_shape(path, archive, member):
    """The shape of an array, without reading its data."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
        if read is None:
            raise ValueError(f"npy version {version}")
        shape, _, dtype = read(file)
    if dtype.kind != "f" or dtype.itemsize > 8:
        raise TraceError(f"{path}: {member[:-4]}: dtype must be float16, float32 or float64, got {dtype}")
    return list(shape)


def index_npz(path):
    try:
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.namelist() if m.endswith(".npy")]
            if len(set(members)) != len(members):
                raise ValueError("an array is there twice")
            shapes = {m: npy_shape(path, archive, m) for m in members}
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise TraceError(f"{path}: not an .npz file: {error}") from None
    return {m[:-4]: (shape, lambda m=m: read_npy(path, m)) for m, shape in shapes.items()}


def read_npy(path, member):
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as file:
            return np.lib.format.read_array(file, allow_pickle=False)
    except (zipfile.BadZipFile, zipfile.zlib.error, ValueError, EOFError) as error:
        raise TraceError(f"{path}: {member[:-4]}: {error}") from None


# ---- steps, workers and layers --------------------------------------------------------------------


def index_file(path):
    try:
        if path.endswith(".npz"):
            return index_npz(path)
        if path.endswith(".safetensors"):
            return index_safetensors(path)
    except OSError as error:
        raise TraceError(f"{path}: cannot read: {error.strerror}") from None
    raise TraceError(f"{path}: must be a .npz or .safetensors file")


def number_in(name, pattern):
    found = re.search(pattern, os.path.basename(name))
    return int(found.group(1)) if found else None


def collect(paths):
    """The arrays of all files as {(step, worker): {layer: (path, shape, read)}}."""
    found = []
    for position, path in enumerate(paths):
        file_step, file_worker = number_in(path, r"step[-_]?(\d{1,18})"), number_in(path, r"(?:worker|rank)[-_]?(\d{1,18})")
        for key, (shape, read) in index_file(path).items():
            step, worker, name = KEY.fullmatch(key).groups()
            step = file_step if step is None else int(step)
            worker = file_worker if worker is None else int(worker)
            found.append((position, path, step, worker, name, shape, read))
    unnamed = all(step is None and worker is None for _, _, step, worker, *_ in found)
    gradients = {}
    for position, path, step, worker, name, shape, read in found:
        at = (position if unnamed else step or 0, worker or 0)
        layers = gradients.setdefault(at, {})
        if name in layers:
            raise TraceError(f"{path}: {name} of step {at[0]}, worker {at[1]} is in {layers[name][0]} too")
        layers[name] = path, shape, read
    if not gradients:
        raise TraceError(f"{paths[0]}: holds no arrays")
    return gradients


def check_all_alike(gradients, layers):
    """Requires every worker at every step, with the layers of the first. Returns the steps and number of workers."""
    steps, workers = sorted({s for s, _ in gradients}), sorted({w for _, w in gradients})
    for at in ((s, w) for s in steps for w in range(workers[-1] + 1)):
        here = {n: shape for n, (_, shape, _) in gradients.get(at, {}).items() if n != LOSS}
        where = f"step {at[0]}, worker {at[1]}"
        for name, shape in layers.items():
            if name not in here:
                raise TraceError(f"{where}: no gradient of {name}")
            if here[name] != shape:
                raise TraceError(f"{gradients[at][name][0]}: {where}: {name} must be {shape}, got {here[name]}")
        for name in here:
            if name not in layers:
                raise TraceError(f"{gradients[at][name][0]}: {where}: {name} is not in the first step")
    return steps, workers[-1] + 1


def put_in_order(layers, path):
    try:
        with open(path, encoding="utf-8") as file:
            names = [line.strip() for line in file if line.strip()]
    except (OSError, ValueError) as error:
        raise TraceError(f"{path}: cannot read: {getattr(error, 'strerror', error)}") from None
    for name in layers:
        if name not in names:
            raise TraceError(f"{path}: does not name {name}")
    for name in names:
        if name not in layers:
            raise TraceError(f"{path}: {name} is no layer of the gradients")
        if names.count(name) > 1:
            raise TraceError(f"{path}: names {name} twice")
    return {name: layers[name] for name in names}


# ---- conversion -----------------------------------------------------------------------------------


def flat(layers, names):
    with np.errstate(over="ignore"):  # too large float64 become inf, which traces may contain
        return np.concatenate([np.asarray(layers[n][2]()).astype("<f4").ravel() for n in names])


def loss_of(layers):
    if LOSS not in layers:
        return math.nan
    path, shape, read = layers[LOSS]
    if math.prod(shape) != 1:
        raise TraceError(f"{path}: loss must be one number, got {shape}")
    return float(read().ravel()[0])


def convert(paths, out, order, batch, model):
    if os.path.abspath(out) in map(os.path.abspath, paths):
        raise TraceError(f"{out}: is one of the inputs")
    gradients = collect(paths)
    first = gradients[min(gradients)]
    layers = {n: shape for n, (_, shape, _) in first.items() if n != LOSS}
    if not layers:
        raise TraceError(f"{paths[0]}: holds no layers")
    for name, shape in layers.items():
        if math.prod(shape) == 0:
            raise TraceError(f"{first[name][0]}: {name} is empty")
    steps, workers = check_all_alike(gradients, layers)
    if order:
        layers = put_in_order(layers, order)
    table = [layer(n, s, 2.0 * batch * math.prod(s), 4.0 * batch * math.prod(s)) for n, s in layers.items()]
    losses = {at: loss_of(found) for at, found in gradients.items()}
    partial = out + ".partial"
    writer = TraceWriter(partial, table, workers, model, source=f"import_trace.py {os.path.basename(paths[0])}",
                         batch=batch)
    try:
        for step in steps:
            ranks = [(step, w) for w in range(workers)]
            writer.append((flat(gradients[at], layers) for at in ranks), [losses[at] for at in ranks])
        writer.close()
        os.replace(partial, out)
    except BaseException:
        writer.close()
        os.unlink(partial)
        raise
    return f"{out}: {len(steps)} steps of {workers} workers, {len(layers)} layers, {writer.size} parameters"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", required=True, help="the trace to write")
    parser.add_argument("--order", help="file with the layers' names in forward order, one per line")
    parser.add_argument("--batch", type=int, default=1, help="examples per worker and step (default 1)")
    parser.add_argument("--model", default="imported", help="name of the model")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    try:
        if args.batch < 1:
            raise TraceError(f"--batch: must be at least 1, got {args.batch}")
        print(convert(args.files, args.out, args.order, args.batch, args.model))
    except TraceError as error:
        sys.exit(f"import_trace.py: {error}")
    except OSError as error:
        sys.exit(f"import_trace.py: {error.filename or args.out}: {error.strerror or error}")


if __name__ == "__main__":
    main()
