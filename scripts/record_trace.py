#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records the gradients of a PyTorch training script for egc-sim. Add two lines to the script:

    import record_trace
    record_trace.record(model, "trace.h5")

before the first step (PYTHONPATH=egc-sim/scripts). Each backward pass is then recorded as one gradient.
To record losses too, or to combine several backward passes in one gradient:

    recorder = record_trace.Recorder(model, "trace.h5")
    ...
    loss.backward()
    recorder.step(loss)

Workers. workers=4 takes four consecutive gradients as those of the four workers of one step, for a
script that runs four micro-batches at the same parameters before optimizer.step(). Under
torch.distributed each process records a part, trace.rank0.h5 and so on, with its local gradients, before
DDP averages them. `record_trace.py merge trace.h5 trace.rank*.h5` merges the parts.

Hooks on the parameters take gradients as they are computed: before clipping, before weight decay, and
multiplied by a GradScaler's scale (step(loss, scale=scaler.get_scale()) divides by it). Parameters
without a gradient in a step have zeros. The trace of a killed run contains its complete steps.
Needs Debian's python3-torch and python3-h5py.
"""
import argparse
import itertools
import math
import re
import sys
import time

import numpy as np

from egc_trace import TIMES, TraceError, TraceWriter, layer


def record(model, path, **options):
    """Returns a Recorder that takes each backward pass as one gradient."""
    return Recorder(model, path, _automatic=True, **options)


class Recorder:
    """Records a model's gradients to a trace.

    workers: gradients per step. every: record one of so many training steps. steps: number of recorded
    steps after which to stop. times: measure layers; by default on CPUs only, as a GPU runs
    asynchronously. rank: this process's, by default torch.distributed's. The other options describe the
    recording."""

    def __init__(self, model, path, workers=1, every=1, steps=None, times=None, rank=None, name=None,
                 dataset=None, optimizer=None, batch=None, _automatic=False):
        import torch

        if workers < 1 or every < 1:
            raise ValueError(f"workers and every must be at least 1, got {workers} and {every}")
        self.torch = torch
        self.path = part_path(path, distributed_rank(torch) if rank is None else rank)
        self.workers, self.every, self.limit, self.automatic = workers, every, steps, _automatic
        if optimizer is not None and not isinstance(optimizer, str):
            optimizer = type(optimizer).__name__
        self.notes = dict(dataset=dataset, optimizer=optimizer, batch=batch, every=every,
                          source=f"record_trace.py, PyTorch {torch.__version__}")
        model = getattr(model, "module", model) if type(model).__name__.endswith("DataParallel") else model
        self.name = name or type(model).__name__
        self.parameters = {n: p for n, p in model.named_parameters() if p.requires_grad}
        if not self.parameters:
            raise ValueError("the model has no parameter that requires a gradient")
        on_cpu = all(p.device.type == "cpu" for p in self.parameters.values())
        self.gradients = {}  # of the backward passes since the last step()
        self.rows, self.losses = [], []  # of the current step's finished workers
        self.seen = 0  # training steps
        self.ending = False  # step() is queued for the end of this backward pass
        self.writer, self.order = None, None
        self.clock = Clock(torch, model, self.parameters, on_cpu if times is None else times, self._recording)
        self.handles = self.clock.handles
        for key, parameter in self.parameters.items():
            self.handles.append(parameter.register_hook(lambda grad, key=key: self._take(key, grad)))

    def _recording(self):
        return self.seen % self.every == 0

    def _take(self, key, grad):
        """Hook during the backward pass, on any thread of PyTorch, one at a time."""
        if self.automatic and not self.ending:
            self.ending = True
            self.torch.autograd.Variable._execution_engine.queue_callback(self.step)
        if not self._recording():
            return
        self.clock.gradient_ready(key)
        grad = grad.detach()
        grad = (grad.to_dense() if grad.is_sparse else grad).to("cpu", self.torch.float32)
        known = self.gradients.get(key)
        self.gradients[key] = grad.clone() if known is None else known + grad

    def step(self, loss=None, scale=1.0):
        """Ends the gradient of one worker."""
        self.ending = False
        if not self.handles:
            return
        if self._recording():
            if self.writer is None:
                self._create()
            self.rows.append(self._flat(scale))
            self.losses.append(math.nan if loss is None else float(loss))
            self.clock.lap()
        else:
            self.losses.append(math.nan)
        self.gradients = {}
        if len(self.losses) == self.workers:
            self._complete()

    def _complete(self):
        if self._recording():
            self.writer.set_times(*self.clock.means(self.order))
            self.writer.append(self.rows, self.losses)
        self.rows, self.losses = [], []
        self.seen += 1
        if self.limit is not None and self.writer and self.writer.step >= self.limit:
            self.close()

    def _create(self):
        """Creates the trace at the first step, when the hooks have seen the layers in order."""
        self.order = self.clock.forward_order()
        layers = [layer(k, self.parameters[k].shape, *self.clock.flops.get(k, (0.0, 0.0))) for k in self.order]
        self.writer = TraceWriter(self.path, layers, self.workers, self.name, **self.notes)

    def _flat(self, scale):
        parts = []
        for key in self.order:
            grad = self.gradients.get(key)
            parts.append(np.zeros(self.parameters[key].numel(), np.float32) if grad is None
                         else grad.contiguous().view(-1).numpy())
        flat = np.concatenate(parts)
        return flat if scale == 1.0 else flat / np.float32(scale)

    def close(self):
        """Removes the hooks and closes the file. Optional: the file is complete after each step."""
        for handle in self.handles:
            handle.remove()
        self.handles = []
        if self.writer:
            self.writer.close()


class Clock:
    """Measures seconds and FLOPs of layers, and the order in which they run.

    Forward, the time of a module with parameters lasts from its start to the start of the next one
    (including the activation between them), divided among its parameters by size. Backward, the time
    of a parameter starts at the gradient before its own, that of the first at the model's output. Means
    leave out the first recorded step, in which PyTorch initialises.
    """

    def __init__(self, torch, model, parameters, measure, recording):
        self.torch, self.measure, self.recording = torch, measure, recording
        self.parameters = parameters
        names = {id(p): n for n, p in parameters.items()}
        self.first_call = {}  # module name: place in the forward order
        self.flops, self.forward, self.backward = {}, {}, {}
        self.mark, self.owner, self.laps = None, None, 0
        self.handles = [model.register_forward_pre_hook(self._start), model.register_forward_hook(self._end)]
        for path, module in model.named_modules():
            owned = [names[id(p)] for p in module._parameters.values() if p is not None and id(p) in names]
            self.handles.append(module.register_forward_pre_hook(
                lambda m, _, path=path, owned=owned: self._enter(path, owned)))
            if owned:
                self.handles.append(module.register_forward_hook(self._count))
        self.names = names

    def _active(self):
        return self.torch.is_grad_enabled() and self.recording()

    def _now(self):
        return time.perf_counter() if self.measure else None

    def _start(self, *_):
        if self._active():
            self.mark, self.owner = self._now(), None

    def _enter(self, path, owned):
        if not self._active():
            return
        self.first_call.setdefault(path, len(self.first_call))
        if owned:
            self._charge_forward()
            self.owner = owned

    def _charge_forward(self):
        """Adds the time since the mark to the running module; before the first module, to the first."""
        if not self.measure or self.owner is None or self.mark is None:
            return
        now = self._now()
        total = sum(self.parameters[k].numel() for k in self.owner) or 1
        for key in self.owner:
            share = self.parameters[key].numel() / total
            self.forward[key] = self.forward.get(key, 0.0) + (now - self.mark) * share
        self.mark = now

    def _end(self, module, inputs, output):
        if not self._active():
            return
        self._charge_forward()
        self.mark, self.owner = self._now(), None
        for tensor in tensors_in(output):
            if self.measure and tensor.requires_grad:
                tensor.register_hook(self._backward_starts)

    def _backward_starts(self, _):
        self.mark = self._now()

    def gradient_ready(self, key):
        if not self.measure:
            return
        now = self._now()
        if self.mark is not None:
            self.backward[key] = self.backward.get(key, 0.0) + now - self.mark
        self.mark = now

    def lap(self):
        self.laps += 1
        if self.laps == 1:
            self.first_times = self.forward, self.backward
            self.forward, self.backward = {}, {}

    def means(self, order):
        times = (self.forward, self.backward) if self.laps > 1 else self.first_times
        return [np.array([t.get(k, math.nan) for k in order]) / max(1, self.laps - 1) for t in times]

    def forward_order(self):
        """Parameters in the order of the first call of their module, or of the module around it if it was
        not called itself; last if none of them was called."""
        def place(key):
            path = key.rpartition(".")[0]
            if path == "":
                return self.first_call.get("", 0)
            while path and path not in self.first_call:
                path = path.rpartition(".")[0]
            return self.first_call[path] if path else len(self.first_call)
        return sorted(self.parameters, key=place)  # stable: registration order within a module

    def _count(self, module, inputs, output):
        """Counts FLOPs of linear, convolution and recurrent layers, in the first step only."""
        nn = self.torch.nn
        if not self._active() or self.laps > 0 or not inputs or not self.torch.is_tensor(inputs[0]):
            return
        given = inputs[0]
        tokens = given.numel() / max(1, given.shape[-1]) if given.dim() else 1
        for parameter in module._parameters.values():
            key = self.names.get(id(parameter)) if parameter is not None else None
            if key is None:
                continue
            matrix = parameter.dim() > 1
            if isinstance(module, (nn.Linear, nn.RNNBase)):
                flops = (2 if matrix else 1) * tokens * parameter.numel()
            elif isinstance(module, (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)):
                flops = 2.0 * given.numel() * parameter[0].numel() if matrix else output.numel()
            elif isinstance(module, (nn.Conv1d, nn.Conv2d, nn.Conv3d)):
                flops = 2.0 * output.numel() * parameter[0].numel() if matrix else output.numel()
            else:
                continue
            passes = 2 if matrix and given.requires_grad else 1  # the first layer has no input gradient
            known = self.flops.get(key, (0.0, 0.0))
            self.flops[key] = known[0] + float(flops), known[1] + passes * float(flops)


def tensors_in(value):
    if hasattr(value, "register_hook"):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return list(itertools.chain.from_iterable(tensors_in(v) for v in value))
    return []


def distributed_rank(torch):
    """The rank of this process; None unless several processes train together."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1:
        return distributed.get_rank()
    return None


def part_path(path, rank):
    if rank is None:
        return str(path)
    stem, dot, ending = str(path).rpartition(".")
    return f"{stem}.rank{rank}.{ending}" if dot and "/" not in ending else f"{path}.rank{rank}"


# ---- parts ----------------------------------------------------------------------------------------


def open_part(path):
    import h5py

    try:
        part = h5py.File(path, "r", libver="latest", swmr=True)
        if part.attrs["format"] != b"egc-trace":
            raise KeyError
        if len(part["loss"]) and part["gradients"].ndim == 3:
            return part
    except OSError as error:
        raise TraceError(f"{path}: cannot read: {error}") from None
    except KeyError:
        raise TraceError(f"{path}: not a trace") from None
    raise TraceError(f"{path}: holds no complete step")


def mean_times(parts, column):
    values = np.array([part[f"layers/{column}"][:] for part in parts])
    known = np.isfinite(values)
    sums = np.where(known, values, 0).sum(axis=0)
    return np.where(known.any(axis=0), sums / np.maximum(known.sum(axis=0), 1), np.nan)


def merge(out, paths):
    """Writes one trace of the parts' workers, in the order of `paths`, with as many steps as all parts have."""
    parts = [open_part(path) for path in paths]
    first = parts[0]
    for path, part in zip(paths, parts):
        for column in ("name", "shape"):
            if not np.array_equal(part[f"layers/{column}"], first[f"layers/{column}"]):
                raise TraceError(f"{path}: has other layers than {paths[0]}")
    layers = []
    for i, stored in enumerate(first["layers/name"][:]):
        shape = [int(d) for d in first["layers/shape"][i] if d]
        layers.append(layer(stored.decode(), shape, *(first[f"layers/{c}_flops"][i] for c in ("forward", "backward"))))
    notes = {}
    for name in ("dataset", "optimizer", "source", "batch", "every"):
        if name in first.attrs:
            value = first.attrs[name]
            notes[name] = value.decode() if isinstance(value, bytes) else int(value)
    workers = sum(part["gradients"].shape[1] for part in parts)
    writer = TraceWriter(out, layers, workers, first.attrs["model"].decode(), **notes)
    writer.set_times(*(mean_times(parts, column) for column in TIMES))
    for step in range(min(len(part["loss"]) for part in parts)):
        rows = (part["gradients"][step, w] for part in parts for w in range(part["gradients"].shape[1]))
        writer.append(rows, np.concatenate([part["loss"][step] for part in parts]))
    writer.close()
    return writer


def rank_of(path):
    found = re.findall(r"\.rank(\d+)", path)
    return int(found[-1]) if found else 0


def main():
    parser = argparse.ArgumentParser(description="Merges the parts of a recording; see the top of this file for recording.")
    commands = parser.add_subparsers(dest="command", required=True)
    merging = commands.add_parser("merge", help="merge the parts that the processes of a run recorded into one trace")
    merging.add_argument("out")
    merging.add_argument("parts", nargs="+")
    args = parser.parse_args()
    try:
        if args.out in args.parts:
            raise TraceError(f"{args.out}: is one of the parts")
        parts = sorted(args.parts, key=rank_of)
        writer = merge(args.out, parts)
        print(f"{args.out}: {writer.step} steps of {writer.workers} workers")
    except TraceError as error:
        sys.exit(f"record_trace.py: {error}")


if __name__ == "__main__":
    main()
