# SPDX-License-Identifier: GPL-3.0-or-later
"""consumer.py LIBRARY: a program of a user in Python, by ctypes: lists what there is, then two
workers and a server that only receives average a gradient."""
import ctypes as c
import sys


class Error(c.Structure):
    _fields_ = [("status", c.c_int), ("message", c.c_char * 2048)]


class Message(c.Structure):
    _fields_ = [("data", c.c_void_p), ("len", c.c_size_t)]


class Layer(c.Structure):
    _fields_ = [("name", c.c_char_p), ("elements", c.c_size_t), ("rows", c.c_size_t), ("bucket", c.c_size_t)]


class Description(c.Structure):
    _fields_ = [(key, c.c_char_p) for key in ("name", "summary", "formula", "size", "reference")]


class Parameter(c.Structure):
    _fields_ = [(key, c.c_char_p) for key in ("name", "help", "valid", "initial", "value")]


egc = c.CDLL(sys.argv[1])
err = Error()
RECEIVER = c.c_size_t(-1)
egc.egc_listing_get.restype = c.c_bool
egc.egc_setup_parameters.restype = c.c_size_t


def call(function, *args):
    status = function(*args, c.byref(err))
    if status:
        raise RuntimeError(err.message.decode())


def listing(which):
    entry, i = Description(), 0
    while egc.egc_listing_get(which, c.c_size_t(i), c.byref(entry)):
        yield entry.name.decode()
        i += 1


methods, feedback, index, value = (list(listing(which)) for which in range(4))
assert "topk" in methods and methods[-1] == "egc", methods
assert "ef21" in feedback and "golomb" in index and "sign_mean" in value
assert list(listing(4)) == []

setup = c.c_void_p()
call(egc.egc_setup_new, b"topk", b"ratio=0.25; value=fp16", c.byref(setup))
parameters = {}
for i in range(egc.egc_setup_parameters(setup)):
    p = Parameter()
    call(egc.egc_setup_parameter, setup, c.c_size_t(i), c.byref(p))
    parameters[p.name.decode()] = (p.valid.decode(), p.initial.decode(), p.value.decode())
assert parameters["ratio"] == ("in (0, 1]", "0.01", "0.25"), parameters["ratio"]
assert parameters["value"][1:] == ("fp32", "fp16")
assert parameters["memory"][1] == "residual"

call(egc.egc_setup_workers, setup, c.c_size_t(2), c.c_uint64(3))
call(egc.egc_setup_layers, setup, (Layer * 1)(Layer(b"weight", 8, 2, 0)), c.c_size_t(1))
workers = []
for rank in (c.c_size_t(0), c.c_size_t(1), RECEIVER):
    worker = c.c_void_p()
    call(egc.egc_worker_new, setup, rank, None, c.byref(worker))
    call(egc.egc_step_begin, worker, c.c_uint64(0), c.c_double(0.1))
    workers.append(worker)
egc.egc_setup_free(setup)

messages, zero = (Message * 2)(), c.c_size_t(0)
gradients = [(c.c_float * 8)(0, 4, 0, 1, -2, 0, 0, 0), (c.c_float * 8)(0, 2, 0, 0, 0, 0, 0, -8)]
for rank, gradient in enumerate(gradients):
    call(egc.egc_step_gradient, workers[rank], zero, gradient)
    call(egc.egc_step_message, workers[rank], zero, zero, c.byref(messages, rank * c.sizeof(Message)))
average = (c.c_float * 8)()
call(egc.egc_step_absorb, workers[2], zero, zero, messages, c.c_size_t(2), average)
assert list(average) == [0, 3, 0, 0, -1, 0, 0, -4], list(average)

status = egc.egc_step_absorb(workers[2], zero, zero, messages, c.c_size_t(2), average, c.byref(err))
assert status == 3 and b"absorbed once" in err.message, err.message
try:
    call(egc.egc_setup_new, b"topq", None, c.byref(setup))
except RuntimeError as error:
    assert "topk" in str(error), error
else:
    raise AssertionError("topq exists")
for worker in workers:
    egc.egc_worker_free(worker)
print(len(methods), "methods")
