# SPDX-License-Identifier: GPL-3.0-or-later
"""A server for egc.workload.process, in plain Python (workloads/README.md has the protocol).

    import egc_process

    class Model:
        layers = [("fc.weight", (10, 784)), ("fc.bias", (10,))]   # forward order
        lr, momentum, weight_decay, schedule, lr_warmup = 0.1, 0.9, 0.0, "constant", 0

        def initialize(self):                            # the initial parameters
        def gradient(self, step, worker, parameters):    # loss, gradient
        def evaluate(self, parameters):                  # loss, accuracy or None, perplexity or None

    egc_process.serve(lambda run: Model(...))            # run.workers, run.steps, run.seed

Parameters are a read-only memoryview of float32, which numpy.asarray accepts. A gradient is any flat buffer
of float32 (an array.array("f"), a numpy array) or a list of numbers. A layer may have a third and fourth
element, the forward and backward FLOPs of one worker's batch, and a fifth and sixth, the seconds.

Importing this module reserves standard output for the protocol and redirects print() to stderr.
"""
import array
import collections
import math
import os
import struct
import sys

_VERSION = 1
_FRAME = struct.Struct("<4sIQ")
_HELLO = struct.Struct("<IIQQ")
_MODEL = struct.Struct("<IIdddII64s")
_LAYER = struct.Struct("<64s4Qdddd")
_REQUEST = struct.Struct("<QQ")

Run = collections.namedtuple("Run", "workers steps seed")

_requests = os.fdopen(os.dup(0), "rb")
_answers = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)


def _receive(size):
    """Reads size bytes. None at the end of the input, which is the end of the run."""
    data = _requests.read(size)
    return data if len(data) == size else None


def _send(kind, *parts):
    parts = [memoryview(p).cast("B") for p in parts if len(p)]
    _answers.write(_FRAME.pack(kind, 0, sum(map(len, parts))))
    for part in parts:
        _answers.write(part)
    _answers.flush()


def _floats(values, count, source):
    try:
        view = memoryview(values)
        if view.format != "f" or not view.c_contiguous:
            raise TypeError
    except TypeError:
        view = memoryview(array.array("f", values))
    if view.nbytes != 4 * count:
        raise ValueError(f"{source} must have {count} values, got {view.nbytes // 4}")
    return view.cast("B") if view.nbytes else view


def _layer(name, shape, forward_flops=0.0, backward_flops=0.0, forward_s=math.nan, backward_s=math.nan):
    dims = list(shape) or [1]
    dims = dims[:3] + ([math.prod(dims[3:])] if len(dims) > 3 else [])
    return _LAYER.pack(name.encode()[-63:], *(dims + [0] * 4)[:4], forward_flops, backward_flops, forward_s, backward_s)


def _model(model):
    schedule = ["constant", "cosine"].index(getattr(model, "schedule", "constant"))
    name = getattr(model, "name", type(model).__name__)
    head = _MODEL.pack(_VERSION, len(model.layers), getattr(model, "lr", 0.1), getattr(model, "momentum", 0.0),
                       getattr(model, "weight_decay", 0.0), schedule, getattr(model, "lr_warmup", 0),
                       name.encode()[:63])
    return head + b"".join(_layer(*layer) for layer in model.layers)


def _answer_all(make):
    model, parameters, count = None, None, 0
    while (head := _receive(_FRAME.size)) is not None:
        kind, _, size = _FRAME.unpack(head)
        body = _receive(size) if size else b""
        if body is None:
            return
        request = body[: _REQUEST.size] if kind == b"GRAD" else b""
        if len(body) > len(request) and kind in (b"GRAD", b"EVAL"):
            parameters = memoryview(body)[len(request) :].cast("f")
        if kind == b"HELO":
            version, *run = _HELLO.unpack(body)
            if version != _VERSION:
                raise ValueError(f"protocol version {version}, this program speaks {_VERSION}")
            model = make(Run(*run))
            count = sum(math.prod(layer[1]) for layer in model.layers)
            _send(b"LAYR", _model(model))
        elif kind == b"INIT":
            _send(b"PARM", _floats(model.initialize(), count, "initialize()"))
        elif kind == b"GRAD":
            loss, gradient = model.gradient(*_REQUEST.unpack(request), parameters)
            _send(b"GRAD", struct.pack("<d", loss), _floats(gradient, count, "gradient()"))
        elif kind == b"EVAL":
            quality = [math.nan if v is None else v for v in model.evaluate(parameters)]
            _send(b"EVAL", struct.pack("<3d", *quality))
        else:
            raise ValueError(f"unknown request {kind!r}")


def serve(make):
    """Answers requests until the run ends. An exception fails the run with its message."""
    try:
        _answer_all(make)
    except BrokenPipeError:
        os._exit(1)
    except Exception as error:
        try:
            _send(b"FAIL", f"{type(error).__name__}: {error}".encode()[:511])
        except BrokenPipeError:
            pass
        sys.exit(1)
