# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes traces, the HDF5 files that egc-sim replays (workloads/README.md has the format).

The file is written in HDF5's single-writer mode: it can be read at any moment of the recording, and
after the writer was killed. A step's losses are written after its gradients, and a reader counts as
many steps as there are losses, so an incomplete step does not count.
"""
import math

import h5py
import numpy as np

NAME_BYTES = 63  # limit of names of layers and models
NOTE_BYTES = 511
MAX_DIMS = 4
MAX_PARAMETERS = 2**30 - 1  # a gradient is one HDF5 chunk of less than 4 GiB
TIMES = ("forward_s", "backward_s")


class TraceError(Exception):
    """An error in one line that names the file."""


def printable(text, limit):
    """The text in printable ASCII; at most its last `limit` characters, by which layers differ."""
    clean = "".join(c if " " <= c <= "~" else "?" for c in str(text))
    return clean[-limit:]


def fold_shape(shape):
    """Four dimensions: padded with zeros, or with all from the fourth on multiplied."""
    dims = [int(d) for d in shape] or [1]
    if len(dims) > MAX_DIMS:
        dims = dims[: MAX_DIMS - 1] + [math.prod(dims[MAX_DIMS - 1 :])]
    return dims + [0] * (MAX_DIMS - len(dims))


def layer(name, shape, forward_flops=0.0, backward_flops=0.0):
    return {"name": name, "shape": tuple(shape), "forward_flops": forward_flops, "backward_flops": backward_flops}


class TraceWriter:
    """Writes a trace step by step.

    layers: dictionaries made by layer(), in forward order. notes: dataset, optimizer, source, batch,
    every, each optional. Raises TraceError."""

    def __init__(self, path, layers, workers, model, **notes):
        self.path = str(path)
        self.workers = workers
        self.size = sum(math.prod(l["shape"]) for l in layers)
        self.step = 0
        if not 1 <= self.size <= MAX_PARAMETERS:
            raise TraceError(f"{path}: a trace must have 1 to {MAX_PARAMETERS} parameters, got {self.size}")
        try:
            self.file = h5py.File(self.path, "w", libver=("v110", "v110"))
        except OSError as error:
            raise TraceError(f"{path}: cannot create: {error}") from None
        self._write_head(layers, model, notes)
        self.gradients = self.file.create_dataset(
            "gradients", (0, workers, self.size), "<f4", chunks=(1, 1, self.size), maxshape=(None, workers, self.size))
        self.losses = self.file.create_dataset(
            "loss", (0, workers), "<f8", chunks=(1, workers), maxshape=(None, workers), fillvalue=np.nan)
        self.file.swmr_mode = True  # from now on data can be appended and overwritten, but nothing created

    def _write_head(self, layers, model, notes):
        attributes = self.file.attrs
        attributes["format"] = np.bytes_("egc-trace")
        attributes["version"] = 1
        attributes["model"] = np.bytes_(printable(model, NAME_BYTES))
        for name, value in notes.items():
            if value is not None:
                attributes[name] = value if isinstance(value, int) else np.bytes_(printable(value, NOTE_BYTES))
        names = [printable(l["name"], NAME_BYTES) for l in layers]
        self.file["layers/name"] = np.array(names, dtype=f"S{NAME_BYTES + 1}")
        self.file["layers/shape"] = np.array([fold_shape(l["shape"]) for l in layers], dtype="<u8")
        for column in ("forward_flops", "backward_flops"):
            self.file[f"layers/{column}"] = np.array([l[column] for l in layers], dtype="<f8")
        for column in TIMES:
            self.file[f"layers/{column}"] = np.full(len(layers), np.nan)

    def append(self, gradients, losses):
        """Appends one step: a flat float32 gradient and a loss (NaN where unknown) of each worker."""
        self.gradients.resize(self.step + 1, axis=0)
        for worker, gradient in enumerate(gradients):
            self.gradients[self.step, worker] = gradient
        self.gradients.flush()
        self.losses.resize(self.step + 1, axis=0)
        self.losses[self.step] = losses
        self.losses.flush()
        self.file.flush()
        self.step += 1

    def set_times(self, forward_s, backward_s):
        for column, values in zip(TIMES, (forward_s, backward_s)):
            self.file[f"layers/{column}"][:] = values

    def close(self):
        self.file.close()
